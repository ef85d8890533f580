"""Further questions to offer below an answer, each searched for before a visitor sees it."""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.answers.writing.generation import Generation
from app.conversations.records.conversations import ConversationRecords
from app.core.chunk import Chunk
from app.core.page_url import page_key
from app.core.text.questions.stop_words import without_stop_words
from app.core.text.turn_language import covers
from app.core.turn import AnsweredBy, Channel, Citation, Finish, TurnRequest, VisitorSession
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.indexes.keyword_index import KeywordIndex
from app.search.candidates import CandidateFinder, CandidateList, Candidates
from app.search.confidence import calibrated, share_by_chance
from app.search.retrieval import SearchQuery, Wording
from app.store.system_of_record import SystemOfRecord, Transaction
from app.turns.question_candidates import (
    MOST_NEXT_QUESTIONS,
    Asked,
    NextQuestion,
    WrittenQuestion,
    offered,
    section_questions,
)

log = structlog.get_logger(__name__)

_ANSWERING: Final = (AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE)
_WHOLE: Final = (Finish.COMPLETE, Finish.LENGTH)
_BUDGET_SECONDS: Final = 0.4  # after that, nothing is offered
_PAGES: Final = 3  # cited sections whose neighbours are read
_REACH: Final = 8  # chunks before and after a cited one
_LOOKED_UP: Final = 5  # candidates at most
_PER_LIST: Final = 5  # chunks from each index per candidate


WrittenQuestions = Callable[[Transaction, UUID], Sequence[WrittenQuestion]]


class NextQuestionFinder:
    """Candidates are headings of the cited pages and questions that an operator wrote, never what other visitors asked.
    A heading is offered if search finds its own section first, with enough confidence; an operator's question, if
    search finds a cited page in that way."""

    def __init__(
        self, records: SystemOfRecord, finder: CandidateFinder, keywords: KeywordIndex, written: WrittenQuestions
    ) -> None:
        self._records = records
        self._finder = finder
        self._keywords = keywords
        self._written = written

    async def after(
        self, agent: LiveAgent, session: VisitorSession, request: TurnRequest, answer: Generation
    ) -> tuple[str, ...]:
        """At most three questions, best first; none if no page has answered. Never raises, and stays within its budget:
        an answer is complete without them."""
        has_answered = answer.answered_by in _ANSWERING and answer.finish in _WHOLE
        if not (has_answered and agent.config.next_questions and session.channel is Channel.WIDGET):
            return ()
        began = perf_counter()
        found: list[str] = []
        try:
            async with asyncio.timeout(_BUDGET_SECONDS):
                found = await self._found(agent, session, request, answer)
        except TimeoutError:
            log.info("next_questions.timed_out", agent=str(agent.id))
        except Exception:
            log.exception("next_questions.failed", agent=str(agent.id))
        answer.trace["next_questions_ms"] = round((perf_counter() - began) * 1000)
        return tuple(found[:MOST_NEXT_QUESTIONS])

    async def _found(
        self, agent: LiveAgent, session: VisitorSession, request: TurnRequest, answer: Generation
    ) -> list[str]:
        wordings = (request.message, answer.context.standalone)
        candidates, language = await self._candidates(agent, session.conversation_id, answer.citations, wordings)
        if not candidates:
            return []
        query = SearchQuery(candidates[0].text, "", agent.config.language, language)
        said = [Wording(candidate.text) for candidate in candidates]
        filters = (agent.config.retrieval.filter, request.only)
        everything = await self._finder.find(agent.id, query, said, _PER_LIST, filters)
        found = (everything.own, *everything.others)
        are_answered = await asyncio.gather(
            *(
                self._is_answered(agent, query, one, told, everything)
                for one, told in zip(candidates, found, strict=True)
            )
        )
        return [one.text for one, is_answered in zip(candidates, are_answered, strict=True) if is_answered]

    async def _candidates(
        self, agent: LiveAgent, conversation_id: UUID, citations: Sequence[Citation], wordings: Sequence[str]
    ) -> tuple[list[NextQuestion], str | None]:
        """The candidates, and the language of the first cited page."""
        quoted = {citation.chunk_id: citation.quote or citation.passage for citation in citations if citation.chunk_id}
        cited = list(quoted)[:_PAGES]
        if not cited:
            return [], None

        def read(tx: Transaction) -> tuple[dict[str, list[Chunk]], Sequence[WrittenQuestion], Sequence[str]]:
            around = LiveDocumentRecords(tx).around(agent.id, cited, _REACH)
            written = self._written(tx, agent.id)
            return around, written, ConversationRecords(tx).questions(conversation_id)

        around, written, earlier = await self._records.of_workspace(agent.workspace_id).read(read)
        pages = [around[chunk_id] for chunk_id in cited if chunk_id in around]
        if not pages:
            return [], None
        asked = Asked([*wordings, *earlier], pages[0][0].language)
        of_operators = [one for one in _of_operators(agent, written, pages) if not asked.holds(one.text)]
        headings = section_questions(pages, quoted, asked.holds, _LOOKED_UP)
        return [*of_operators[:MOST_NEXT_QUESTIONS], *headings][:_LOOKED_UP], pages[0][0].language

    async def _is_answered(
        self,
        agent: LiveAgent,
        query: SearchQuery,
        candidate: NextQuestion,
        found: CandidateList,
        everything: Candidates,
    ) -> bool:
        """Whether the best result is what the candidate promises, with enough confidence."""
        keys = list(dict.fromkeys((*found.vector_order, *found.keyword_order)))
        chunks = [everything.chunks[key] for key in keys]
        if not chunks or candidate.is_furniture(chunks):
            return False
        texts = [f"{chunk.context}\n{chunk.text}" for chunk in chunks]
        said = without_stop_words(candidate.text, query.asked_in)
        shares = await self._keywords.coverage(agent.id, query.language, said, texts)
        by_chance = share_by_chance(said, shares)
        sureness = [
            calibrated(
                found.cosine.get(key) if covers(self._finder.reads, chunk.language) else None,
                share,
                None,
                language=query.asked_in or chunk.language,
                by_chance=by_chance,
            )
            for key, chunk, share in zip(keys, chunks, shares, strict=True)
        ]
        best = max(range(len(chunks)), key=sureness.__getitem__)
        return candidate.is_answered_by(chunks[best]) and sureness[best] >= agent.config.confidence_threshold


def _of_operators(
    agent: LiveAgent, written: Sequence[WrittenQuestion], pages: Sequence[Sequence[Chunk]]
) -> list[NextQuestion]:
    """Those that operators wrote for a cited page; then the agent's starter prompts, for which search decides whether a
    cited page answers them."""
    documents = {page_key(page[0].url): page[0].document_id for page in pages}
    found = [
        NextQuestion(one.text, frozenset(documents[key] for key in one.page_keys if key in documents))
        for one in written
        if not documents.keys().isdisjoint(one.page_keys)
    ]
    found += [NextQuestion(prompt, frozenset(documents.values())) for prompt in agent.config.starter_prompts]
    return [one for one in found if offered(one.text) == one.text]
