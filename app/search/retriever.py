"""Recall, fusion, the cross-encoder's vote, adjustments and the threshold: turns a question into ranked sources."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Protocol, TypeVar

import structlog

from app.agents.agent import LiveAgent
from app.agents.retrieval_settings import ConfidenceScale, RerankMode, RetrievalSettings
from app.core.chunk import RankedChunk
from app.core.errors import IndexUnavailable, RerankerUnavailable
from app.core.page_url import is_same_page
from app.core.text.requested_details import has_requested_contacts
from app.core.text.turn_language import covers
from app.core.text.words import without_stop_words
from app.kit.wiring import Wired
from app.providers.indexes.search_indexes import KeywordIndex
from app.providers.reranking.reranker import PairScore, Reranker
from app.search.boosts import Boost, adjusted
from app.search.candidates import CandidateFinder, Candidates
from app.search.confidence import calibrated, plain_coverage, share_by_chance, sigmoid
from app.search.fusion import fused_order, word_trust
from app.search.query_planner import QueryPlanner, planned
from app.search.question_reader import QuestionReader
from app.search.rank_fusion import best_first, unit_interval, with_vote
from app.search.retrieval import Retrieval, RetrievalTrace, SearchQuery, StageListener, answerable_from

log = structlog.get_logger(__name__)

Score = TypeVar("Score")

_VOTES: Final = (RerankMode.VOTE, RerankMode.AUTO)
# A voter reads as many candidates as an answer sees, and the others only where none of those is likely to answer
# (docs/evaluation-log.md).
_READ_FIRST: Final = 6
_LIKELY: Final = 0.1  # of the reranker's probability


class Retriever(Protocol):
    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        """Rank the agent's chunks for the query.

        Raises IndexUnavailable if neither index is available.
        """
        ...


class HybridRetriever(Wired):
    """The search pipeline, with the agent's settings. `rankers` has the reranker of each mode; a mode without one is
    treated as a reranker that is unavailable."""

    _finder: CandidateFinder
    _keywords: KeywordIndex
    _rankers: dict[RerankMode, Reranker]
    _adjustments: Sequence[Boost]
    _reader: QuestionReader
    _planners: Sequence[QueryPlanner] = ()

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        settings = agent.config.retrieval
        trace = RetrievalTrace()
        if on_stage:
            await on_stage("searching")
        read = await self._reader.read(agent, query, trace)
        query = read.query
        wordings = await planned(self._planners, query, settings)
        if len(wordings) > 1:
            trace.stage("wordings", said=[wording.text for wording in wordings])
        filters = (settings.filter, *query.filters)
        candidates = await self._finder.find(agent.id, query, wordings, settings.recall_per_list, filters)
        own = candidates.own
        trace.stage(
            "recall", vector=len(own.vector_order), keyword=len(own.keyword_order), found=len(candidates.chunks)
        )
        trace.note_missing(candidates.missing)
        if not candidates.chunks:
            return Retrieval(question=read.said, read_as=read.read_as, read_in=read.read_in, trace=trace.as_json())
        coverage = await self._coverage(agent, query, candidates, trace)
        readable = 1.0 if covers(self._finder.reads, query.asked_in) else settings.foreign_weight
        trust = word_trust(coverage) if read.is_glossed else 1.0
        fused = fused_order(candidates, settings, settings.vector_weight * readable, trust)
        trace.stage(
            "fusion", best_first(fused), method=settings.fusion.value, candidates=len(fused), trust=round(trust, 2)
        )
        if on_stage:
            await on_stage("reading")
        logits = await self._logits(query, candidates, fused, settings, trace)
        ordered = _order(fused, logits, settings, self._rerank_weight(query, settings))
        if logits:
            trace.stage("vote", best_first(ordered))
        ordered = await self._adjusted(agent, query, candidates, ordered, trace)
        reads = _Reads(self._finder.reads, self._ranker_reads(settings))
        ranked = _ranked(ordered, fused, candidates, coverage, logits, query, settings, reads)
        retrieval = answerable_from(ranked, agent.config.confidence_threshold, settings)
        trace.stage(
            "threshold",
            [item.chunk.id for item in retrieval.sources],
            survivors=sum(item.calibrated >= agent.config.confidence_threshold for item in ranked),
            best=round(retrieval.best, 4),
        )
        return Retrieval(
            retrieval.ranked,
            retrieval.sources,
            retrieval.best,
            retrieval.is_low_confidence,
            read.said,
            trace.as_json(),
            read.read_as,
            read.read_in,
            query.bare if query.is_joined else "",
        )

    async def _logits(
        self,
        query: SearchQuery,
        candidates: Candidates,
        fused: dict[str, float],
        settings: RetrievalSettings,
        trace: RetrievalTrace,
    ) -> dict[str, float]:
        """The reranker's logits for the best candidates; empty if it is off, fails or takes too long. If it only votes
        and finds one of the first few likely to answer, it reads no more."""
        if settings.rerank is RerankMode.OFF or (
            settings.rerank is RerankMode.AUTO and RerankMode.AUTO not in self._rankers
        ):
            return {}
        read = best_first(fused)[: settings.rerank_candidates]
        first = _READ_FIRST if settings.rerank in _VOTES else len(read)
        try:
            ranker = self._rankers.get(settings.rerank)
            if ranker is None:
                raise RerankerUnavailable(f"Nothing is set up that could rerank by {settings.rerank.value}.")
            is_model = settings.rerank is RerankMode.MODEL
            budget_ms = settings.model_rank_budget_ms if is_model else settings.rerank_budget_ms
            deadline = perf_counter() + budget_ms / 1000
            scores: dict[str, PairScore] = {}
            for keys in (read[:first], read[first:]):
                if not any(score.probability >= _LIKELY for score in scores.values()):
                    scores |= await _by_question(
                        candidates,
                        {key: candidates.chunks[key].read_text for key in keys},
                        lambda question, some: ranker.score(question, some, budget_seconds=deadline - perf_counter()),
                    )
        except RerankerUnavailable as error:
            log.warning("retriever.reranker_away", reason=str(error))
            trace.note_missing(["reranker"])
            trace.stage("rerank", read=0, fallback="fused order", reason=str(error))
            return {}
        trace.stage("rerank", read=len(scores), mode=settings.rerank.value)
        return {key: score.logit for key, score in scores.items()}

    def _ranker_reads(self, settings: RetrievalSettings) -> frozenset[str] | None:
        ranker = self._rankers.get(settings.rerank)
        return ranker.reads if ranker else None

    def _rerank_weight(self, query: SearchQuery, settings: RetrievalSettings) -> float:
        is_read = covers(self._ranker_reads(settings), query.asked_in)
        return settings.rerank_weight * (1.0 if is_read else settings.foreign_weight)

    async def _coverage(
        self, agent: LiveAgent, query: SearchQuery, candidates: Candidates, trace: RetrievalTrace
    ) -> dict[str, float]:
        keys = list(candidates.chunks)
        texts = [f"{candidates.chunks[key].context}\n{candidates.chunks[key].text}" for key in keys]
        of = dict(zip(keys, texts, strict=True))
        try:
            shares = await _by_question(
                candidates,
                of,
                lambda question, some: self._keywords.coverage(
                    agent.id, query.language, without_stop_words(question, query.asked_in), some
                ),
            )
        except IndexUnavailable as error:
            log.warning("retriever.coverage_away", reason=str(error))
            trace.note_missing(["coverage"])
            shares = {key: plain_coverage(candidates.question_of(key), [text])[0] for key, text in of.items()}
        trace.stage("coverage")
        return {key: 1.0 if has_requested_contacts(query.text, of[key]) else share for key, share in shares.items()}

    async def _adjusted(
        self,
        agent: LiveAgent,
        query: SearchQuery,
        candidates: Candidates,
        ordered: dict[str, float],
        trace: RetrievalTrace,
    ) -> dict[str, float]:
        settings = agent.config.retrieval
        for rule in self._adjustments:
            weight = rule.weight(settings)
            if weight and (scores := await rule.scores(agent, query, candidates)):
                ordered = adjusted(ordered, scores, weight)
                trace.stage(rule.name, best_first(ordered), weight=weight)
        return ordered


@dataclass(frozen=True, slots=True)
class _Reads:
    """The languages that each model reads, None for all. Its scores for other languages do not count in confidence."""

    embedder: frozenset[str] | None
    ranker: frozenset[str] | None


async def _by_question(
    candidates: Candidates, texts: Mapping[str, str], ask: Callable[[str, list[str]], Awaitable[Sequence[Score]]]
) -> dict[str, Score]:
    """Judge each chunk's text against the question, or the part of it, that found the chunk."""
    keys_of: dict[str, list[str]] = defaultdict(list)
    for key in texts:
        keys_of[candidates.question_of(key)].append(key)
    found = await asyncio.gather(*(ask(question, [texts[key] for key in keys]) for question, keys in keys_of.items()))
    return {
        key: score
        for keys, some in zip(keys_of.values(), found, strict=True)
        for key, score in zip(keys, some, strict=True)
    }


def _order(
    fused: dict[str, float], logits: dict[str, float], settings: RetrievalSettings, weight: float
) -> dict[str, float]:
    if not logits:
        return unit_interval(fused)
    if settings.rerank in _VOTES:
        return unit_interval(with_vote(fused, logits, weight))
    lowest = min(logits.values())
    behind = {key: lowest - 1.0 + score for key, score in unit_interval(fused).items()}
    return unit_interval(behind | logits)


def _ranked(
    order: dict[str, float],
    fused: dict[str, float],
    candidates: Candidates,
    coverage: dict[str, float],
    logits: dict[str, float],
    query: SearchQuery,
    settings: RetrievalSettings,
    reads: _Reads,
) -> list[RankedChunk]:
    ranked = []
    by_chance = share_by_chance(query.text, coverage.values())
    for key, place in order.items():
        chunk = candidates.chunks[key]
        cosine, share, logit = candidates.own.cosine.get(key), coverage.get(key, 0.0), logits.get(key)
        if settings.confidence_from is ConfidenceScale.RERANKER and logits:
            confidence = 0.0 if logit is None else sigmoid(logit / settings.confidence_steepness)
        else:
            languages = query.asked_in, chunk.language
            confidence = calibrated(
                cosine if covers(reads.embedder, *languages) else None,
                share,
                logit if covers(reads.ranker, *languages) else None,
                query.asked_in or chunk.language,
                by_chance,
            )
        ranked.append(
            RankedChunk(
                chunk=chunk,
                order=place,
                calibrated=confidence,
                fused=fused[key],
                cosine=cosine,
                bm25=candidates.own.bm25.get(key),
                coverage=share,
                logit=logit,
                is_current_page=is_same_page(chunk.url, query.page_url),
            )
        )
    ranked.sort(key=lambda item: (-item.order, item.chunk.id))
    return ranked
