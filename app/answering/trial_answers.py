"""What the agent would answer now, for an operator who asks whether a gap is closed."""

from typing import Literal
from uuid import UUID

from app.answering.agent_search import AgentSearch
from app.answering.answer_writers import answer_writers
from app.answering.brief import AnswerBrief, AnswerWriter
from app.answering.composition import Composition, new_canary
from app.answering.curated_matcher import CuratedMatcher
from app.answering.page_context import numbered_sources
from app.answering.retrieval import SearchQuery
from app.answering.search_pipeline import SearchParts
from app.domain.confidence import answer_confidence
from app.domain.gap_detector import gap_reason
from app.domain.gap_replay import GapAsking, TrialAnswer
from app.domain.own_words import own_words
from app.domain.turn import AnsweredBy, TurnRequest
from app.ports.cache import Cache
from app.ports.clock import Clock
from app.ports.language_guesser import LanguageGuesser
from app.ports.pattern_matcher import PatternMatcher
from app.ports.records.transaction import SystemOfRecord


class TrialAnswers:
    """Curated answers, search and writers as a turn has them, without the visitor: their history and what their
    browser said of its page are not kept with a gap."""

    def __init__(
        self,
        records: SystemOfRecord,
        curated: CuratedMatcher,
        search: AgentSearch,
        writers: tuple[AnswerWriter, ...],
        clock: Clock,
    ) -> None:
        self._records = records
        self._curated = curated
        self._search = search
        self._writers = writers
        self._clock = clock

    async def answer(
        self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: Literal["live", "draft"]
    ) -> TrialAnswer:
        """Raises NotFound, IndexUnavailable, ModelInterrupted."""
        async with self._records.read() as records:
            await records.agents.get(workspace_id, agent_id)
            answers = await records.curated_answers.of_agent(agent_id)
        curated = await self._curated.find(
            answers, asking.question, page_url=asking.page_url, language=asking.language, now=self._clock.now()
        )
        if curated is not None:
            return TrialAnswer(curated.answer, AnsweredBy.CURATED, 1.0)
        query = SearchQuery(asking.standalone, asking.page_url, asked_in=asking.language)
        report = await self._search.search(workspace_id, agent_id, query, version)
        agent, retrieval = report.agent.config, report.retrieval
        request = TurnRequest(asking.turn_id, asking.question, asking.page_url)
        brief = AnswerBrief(
            agent=agent,
            question=asking.question,
            standalone=asking.standalone,
            sources=numbered_sources(request, retrieval.sources, (), own_words(asking.language).your_page),
            page_url=asking.page_url,
            language=asking.language,
            canary=new_canary(),
        )
        composition = Composition(brief, lambda piece, whole: None)
        await composition.write(self._writers)
        confidence = answer_confidence(retrieval.best, is_cited=bool(composition.citations))
        is_low = retrieval.is_low_confidence or confidence < agent.confidence_threshold
        return TrialAnswer(
            composition.text,
            composition.answered_by,
            round(confidence, 4),
            tuple(dict.fromkeys(citation.url for citation in composition.citations)),
            gap_reason(composition.answered_by, is_low, composition.text, composition.finish),
        )


def trial_answers(
    parts: SearchParts, patterns: PatternMatcher, cache: Cache, languages: LanguageGuesser
) -> TrialAnswers:
    return TrialAnswers(
        parts.record,
        CuratedMatcher(parts.record, patterns, parts.embedder),
        parts.for_operators(cache, languages),
        answer_writers(parts.model, parts.reranker, parts.tokens),
        parts.clock,
    )
