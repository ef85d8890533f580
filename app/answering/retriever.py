"""Recall, fusion, the cross-encoder's vote, the page boost and the threshold: a question becomes ranked sources."""

from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Protocol
from uuid import UUID

import structlog

from app.answering.recall import Recall, Recalled
from app.answering.retrieval import Retrieval, SearchQuery, StageListener
from app.domain.agent import FusionMethod, LiveAgent, RerankMode, RetrievalSettings
from app.domain.chunk import RankedChunk
from app.domain.confidence import calibrated, is_low, plain_coverage
from app.domain.errors import IndexUnavailable, RerankerUnavailable
from app.domain.page_focus import page_focus
from app.domain.page_url import is_same_page
from app.domain.rank_fusion import (
    best_first,
    best_of_group,
    reciprocal_rank_fusion,
    score_fusion,
    unit_interval,
    with_vote,
)
from app.ports.keyword_index import KeywordIndex
from app.ports.reranker import Reranker

log = structlog.get_logger(__name__)


class Retriever(Protocol):
    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        """Rank the agent's chunks for the query.

        Raises IndexUnavailable when neither index can be asked.
        """
        ...


class HybridRetriever:
    """The pipeline of the design, stages 4 to 8, by the agent's own settings."""

    def __init__(self, recall: Recall, keywords: KeywordIndex, reranker: Reranker) -> None:
        self._recall = recall
        self._keywords = keywords
        self._reranker = reranker

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        settings = agent.config.retrieval
        trace = _Trace()
        if on_stage:
            await on_stage("searching")
        recalled = await self._recall.find(agent.id, query, settings.recall_per_list)
        trace.stage("recall", vector=len(recalled.vector_order), keyword=len(recalled.keyword_order))
        trace.note_missing(recalled.missing)
        if not recalled.chunks:
            return Retrieval(trace=trace.as_json())
        fused = _fuse(recalled, settings)
        trace.stage("fusion", method=settings.fusion.value, candidates=len(fused))
        if on_stage:
            await on_stage("reading")
        logits = await self._logits(query, recalled, fused, settings, trace)
        coverage = await self._coverage(agent, query, recalled, trace)
        ordered = _order(fused, logits, settings)
        focus = _focus(ordered, recalled)
        ordered = unit_interval(
            {key: place + settings.focus_weight * focus.get(key, 0.0) for key, place in ordered.items()}
        )
        ranked = _ranked(ordered, fused, recalled, coverage, logits, focus, query, settings)
        retrieval = _above_threshold(ranked, agent.config.confidence_threshold, settings)
        trace.stage("threshold", survivors=len(retrieval.sources), best=round(retrieval.best, 4))
        return Retrieval(
            retrieval.ranked, retrieval.sources, retrieval.best, retrieval.is_low_confidence, trace.as_json()
        )

    async def _logits(
        self,
        query: SearchQuery,
        recalled: Recalled,
        fused: dict[str, float],
        settings: RetrievalSettings,
        trace: "_Trace",
    ) -> dict[str, float]:
        """The cross-encoder's word on the best candidates; none when it is off, fails, or takes too long."""
        if settings.rerank is RerankMode.OFF:
            return {}
        read = best_first(fused)[: settings.rerank_candidates]
        texts = [f"{recalled.chunks[key].title}\n{recalled.chunks[key].text}" for key in read]
        try:
            scores = await self._reranker.score(query.text, texts, budget_seconds=settings.rerank_budget_ms / 1000)
        except RerankerUnavailable as error:
            log.warning("retriever.reranker_away", reason=str(error))
            trace.note_missing(["reranker"])
            trace.stage("rerank", read=0, fallback="fused order")
            return {}
        trace.stage("rerank", read=len(read), mode=settings.rerank.value)
        return {key: score.logit for key, score in zip(read, scores, strict=True)}

    async def _coverage(
        self, agent: LiveAgent, query: SearchQuery, recalled: Recalled, trace: "_Trace"
    ) -> dict[str, float]:
        keys = list(recalled.chunks)
        texts = [f"{recalled.chunks[key].context}\n{recalled.chunks[key].text}" for key in keys]
        try:
            shares = await self._keywords.coverage(agent.id, query.language, query.text, texts)
        except IndexUnavailable as error:
            log.warning("retriever.coverage_away", reason=str(error))
            trace.note_missing(["coverage"])
            shares = plain_coverage(query.text, texts)
        trace.stage("coverage")
        return dict(zip(keys, shares, strict=True))


def _fuse(recalled: Recalled, settings: RetrievalSettings) -> dict[str, float]:
    if settings.fusion is FusionMethod.RRF:
        return reciprocal_rank_fusion(
            [
                (recalled.vector_order, settings.vector_weight),
                (recalled.keyword_order, settings.keyword_weight),
            ],
            settings.rrf_k,
        )
    worst_cosine = min(recalled.cosine.values(), default=0.0)
    cosine = {key: recalled.cosine.get(key, worst_cosine) for key in recalled.chunks}
    bm25 = {key: recalled.bm25.get(key, 0.0) for key in recalled.chunks}
    of_document = best_of_group(bm25, {key: chunk.document_id for key, chunk in recalled.chunks.items()})
    return score_fusion(
        [
            (cosine, settings.vector_weight),
            (bm25, settings.keyword_weight),
            (of_document, settings.document_weight),
        ]
    )


def _order(fused: dict[str, float], logits: dict[str, float], settings: RetrievalSettings) -> dict[str, float]:
    if not logits:
        return unit_interval(fused)
    if settings.rerank is RerankMode.JUDGE:
        lowest = min(logits.values())
        behind = {key: lowest - 1.0 + score for key, score in unit_interval(fused).items()}
        return unit_interval(behind | logits)
    return unit_interval(with_vote(fused, logits, settings.rerank_weight))


def _focus(ordered: dict[str, float], recalled: Recalled) -> dict[str, float]:
    """Of each chunk's page; empty where there is one page only."""
    keys = best_first(ordered)
    of_page = page_focus([recalled.chunks[key].document_id for key in keys])
    return {key: of_page[recalled.chunks[key].document_id] for key in keys} if of_page else {}


def _ranked(
    order: dict[str, float],
    fused: dict[str, float],
    recalled: Recalled,
    coverage: dict[str, float],
    logits: dict[str, float],
    focus: dict[str, float],
    query: SearchQuery,
    settings: RetrievalSettings,
) -> list[RankedChunk]:
    ranked = []
    for key, place in order.items():
        chunk = recalled.chunks[key]
        is_current = is_same_page(chunk.url, query.page_url)
        cosine, share, logit = recalled.cosine.get(key), coverage.get(key, 0.0), logits.get(key)
        ranked.append(
            RankedChunk(
                chunk=chunk,
                order=place + (settings.page_boost if is_current else 0.0),
                calibrated=calibrated(cosine, share, logit, focus.get(key)),
                fused=fused[key],
                cosine=cosine,
                bm25=recalled.bm25.get(key),
                coverage=share,
                logit=logit,
                is_current_page=is_current,
            )
        )
    ranked.sort(key=lambda item: (-item.order, item.chunk.id))
    return _best_of_each_document(ranked) if settings.collapse_documents else ranked


def _best_of_each_document(ranked: Sequence[RankedChunk]) -> list[RankedChunk]:
    seen = set()
    kept = []
    for item in ranked:
        if item.chunk.document_id not in seen:
            seen.add(item.chunk.document_id)
            kept.append(item)
    return kept


def _above_threshold(ranked: Sequence[RankedChunk], threshold: float, settings: RetrievalSettings) -> Retrieval:
    survivors = [item for item in ranked if item.calibrated >= threshold]
    best = max((item.calibrated for item in ranked), default=0.0)
    return Retrieval(
        ranked=tuple(ranked),
        sources=tuple(_diverse(survivors, ranked, settings.sources)),
        best=best,
        is_low_confidence=is_low(len(survivors), best),
    )


def _diverse(survivors: Sequence[RankedChunk], ranked: Sequence[RankedChunk], sources: int) -> list[RankedChunk]:
    """The first `sources` survivors; where there are other pages, no page gets all the places."""
    has_others = len({item.chunk.document_id for item in ranked}) > 1
    room_for_page = sources - 1 if has_others and sources > 1 else sources
    taken: Counter[UUID] = Counter()
    kept: list[RankedChunk] = []
    for item in survivors:
        if len(kept) < sources and taken[item.chunk.document_id] < room_for_page:
            taken[item.chunk.document_id] += 1
            kept.append(item)
    return kept


class _Trace:
    """Stage by stage: how long, and what it did."""

    def __init__(self) -> None:
        self._stages: list[dict[str, Any]] = []
        self._missing: list[str] = []
        self._since = perf_counter()

    def stage(self, name: str, **facts: Any) -> None:
        now = perf_counter()
        self._stages.append({"stage": name, "ms": round((now - self._since) * 1000, 2), **facts})
        self._since = now

    def note_missing(self, names: Sequence[str]) -> None:
        self._missing.extend(names)

    def as_json(self) -> dict[str, Any]:
        return {"stages": self._stages, "missing": self._missing}
