"""Expands sources to whole sections: a sentence is easier to understand in its context."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from app.agents.agent import LiveAgent
from app.agents.retrieval_settings import RetrievalSettings
from app.core.chunk import SECTION_REACH, Chunk, RankedChunk
from app.core.text.markdown.section_text import section_text
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.token_counter import TokenCounter
from app.search.retrieval import Retrieval, SearchQuery, StageListener
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord


class ContextExpandingRetriever(Wired):
    """A Retriever that adds to each source of another Retriever the rest of its section, and the agent's `neighbours`
    beyond it, best source first, within the agent's `source_tokens`. A source whose text is already part of another is
    dropped. Each source keeps its own link."""

    _inner: Retriever
    _records: SystemOfRecord
    _tokens: TokenCounter

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        found = await self._inner.retrieve(agent, query, on_stage)
        if not found.sources:
            return found
        settings = agent.config.retrieval
        ids = [item.chunk.id for item in found.sources]
        reach = max(SECTION_REACH, settings.neighbours)
        around = await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: LiveDocumentRecords(tx).around(agent.id, ids, reach)
        )
        return replace(found, sources=tuple(self._widened(found.sources, around, settings)))

    def _widened(
        self, sources: Sequence[RankedChunk], around: dict[str, list[Chunk]], settings: RetrievalSettings
    ) -> list[RankedChunk]:
        shown: set[str] = set()
        room = settings.source_tokens - sum(self._tokens.count(item.chunk.text) for item in sources)
        widened = []
        for item in sources:
            if item.chunk.id in shown:
                continue
            kept = {item.chunk.id: item.chunk}
            for chunk in _nearest_first(item.chunk, around.get(item.chunk.id, []), settings.neighbours):
                cost = self._tokens.count(chunk.text)
                if cost > room:
                    break
                if chunk.id not in shown:
                    kept[chunk.id] = chunk
                    room -= cost
            shown |= kept.keys()
            parts = sorted(kept.values(), key=lambda chunk: chunk.position)
            text, links = section_text([part.text for part in parts]), tuple(chain(*(part.links for part in parts)))
            widened.append(replace(item, chunk=replace(item.chunk, text=text, links=links)))
        return widened


def _nearest_first(hit: Chunk, around: Sequence[Chunk], neighbours: int) -> list[Chunk]:
    """The adjacent chunks of the hit's section, and those within `neighbours` of it."""
    wanted: list[Chunk] = []
    at = {chunk.position: chunk for chunk in around}
    for step in (1, -1):
        position = hit.position + step
        while (chunk := at.get(position)) is not None:
            if chunk.breadcrumb != hit.breadcrumb and abs(position - hit.position) > neighbours:
                break
            wanted.append(chunk)
            position += step
    return sorted(wanted, key=lambda chunk: (abs(chunk.position - hit.position), chunk.position))
