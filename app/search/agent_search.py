"""Search as a turn would do it, for operators who want to know why."""

from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from app.agents.agent import LiveAgent, Version
from app.agents.records import AgentRecords
from app.core.chunk import RankedChunk
from app.core.text.turn_language import turn_language
from app.kit.language_guesser import LanguageGuesser
from app.kit.wiring import Wired
from app.search.confidence import why_unsure
from app.search.retrieval import Retrieval, SearchQuery
from app.search.retrieval_cache import CachedRetriever
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class SearchReport:
    """`was_remembered`: a turn with the same question would now get a cached ranking."""

    agent: LiveAgent
    retrieval: Retrieval
    was_remembered: bool

    def as_json(self) -> dict[str, Any]:
        """Every ranked chunk with its score from each stage, best first, and the trace of the stages."""
        used = {item.chunk.id for item in self.retrieval.sources}
        threshold, found = self.agent.config.confidence_threshold, [item.calibrated for item in self.retrieval.ranked]
        return {
            "threshold": threshold,
            "best": self.retrieval.best,
            "low_confidence": self.retrieval.is_low_confidence,
            "why_unsure": why_unsure(found, threshold),
            "chunks": [_row(item, is_source=item.chunk.id in used) for item in self.retrieval.ranked],
            "trace": {**self.retrieval.trace, "cache": "held" if self.was_remembered else "absent"},
        }


class AgentSearch(Wired):
    """`search` ranks without a cache, so that its trace shows every stage; `remembered` is the retriever that turns
    use.
    """

    _records: SystemOfRecord
    _search: Retriever
    _remembered: CachedRetriever
    _languages: LanguageGuesser

    async def search(
        self, workspace_id: UUID, agent_id: UUID, query: SearchQuery, version: Version = "live"
    ) -> SearchReport:
        """Search with the agent's published configuration or with its draft. A query without a language gets the
        agent's.

        Raises NotFound for an agent that does not exist, belongs to another workspace or is not published;
        IndexUnavailable.
        """
        agent = await self._records.of_workspace(workspace_id).read(
            lambda tx: AgentRecords(tx).by_version(workspace_id, agent_id, version)
        )
        language = query.language or agent.config.language
        query = replace(query, language=language, asked_in=query.asked_in or self._language(agent, query.text))
        was_remembered = await self._remembered.holds(agent, query)
        return SearchReport(agent, await self._search.retrieve(agent, query), was_remembered)

    def _language(self, agent: LiveAgent, question: str) -> str | None:
        """The language of a turn whose visitor has no locale."""
        return turn_language(
            pinned=agent.config.language,
            locale="",
            guess=self._languages.guess(question),
            known=self._languages.languages,
        )


def _row(item: RankedChunk, *, is_source: bool) -> dict[str, Any]:
    return {
        "chunk_id": item.chunk.id,
        "document_id": str(item.chunk.document_id),
        "source_id": str(item.chunk.source_id) if item.chunk.source_id else None,
        "url": item.chunk.link,
        "title": item.chunk.title,
        "breadcrumb": list(item.chunk.breadcrumb),
        "order": item.order,
        "confidence": item.calibrated,
        "fused": item.fused,
        "cosine": item.cosine,
        "bm25": item.bm25,
        "coverage": item.coverage,
        "logit": item.logit,
        "is_current_page": item.is_current_page,
        "is_source": is_source,
        "dated": item.chunk.day.isoformat(),
        "context": item.chunk.context if item.chunk.written_context is None else item.chunk.written_context,
        "text": item.chunk.text,
        "tables": [asdict(table) for table in item.chunk.tables],
    }
