"""Caches rankings for 30 minutes. The key includes everything that a ranking depends on, so nothing is ever purged."""

import hashlib
import json
import math
import struct
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.core.chunk import RankedChunk
from app.core.page_url import page_key
from app.core.turn import question_key
from app.kit.cache import Cache
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.search.retrieval import Retrieval, SearchQuery, StageListener
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

TTL_SECONDS = 30 * 60
KEPT = 50  # ranked chunks; the answer needs far fewer
_SCORES: Final = ("order", "calibrated", "fused", "cosine", "bm25", "coverage", "logit")
_scores_of = attrgetter(*_SCORES)


class CachedRetriever(Wired):
    """A Retriever that asks another one on a miss. It stores ids and scores only: text and URL are read from the system
    of record each time, so a cached ranking cannot show deleted content."""

    _inner: Retriever
    _cache: Cache
    _records: SystemOfRecord

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        key = cache_key(agent, query)
        remembered = await self._remembered(agent.id, key, query)
        if remembered is not None:
            return remembered
        retrieval = await self._inner.retrieve(agent, query, on_stage)
        if not retrieval.trace.get("missing"):  # a degraded ranking must not outlive its cause
            await self._cache.set(key, _packed(retrieval, query), ttl_seconds=TTL_SECONDS)
        return retrieval

    async def holds(self, agent: LiveAgent, query: SearchQuery) -> bool:
        """Whether the query's ranking is cached now."""
        return await self._cache.get(cache_key(agent, query)) is not None

    async def _remembered(self, agent_id: UUID, key: str, query: SearchQuery) -> Retrieval | None:
        raw = await self._cache.get(key)
        if raw is None:
            return None
        try:
            head, _, scores = raw.partition(b"\n")
            packed: dict[str, Any] = json.loads(head)
            ids: list[str] = packed["ids"]
            rows = _rows(scores, len(ids))
            chunks = await self._records.of_agent(agent_id).read(
                lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, ids)
            )
            ranked = tuple(
                RankedChunk(chunk=chunks[chunk_id], is_current_page=chunk_id in packed["current"], **row)
                for chunk_id, row in zip(ids, rows, strict=True)
                if chunk_id in chunks
            )
            if len(ranked) != len(ids):
                return None
            by_id = {item.chunk.id: item for item in ranked}
            return Retrieval(
                ranked=ranked,
                sources=tuple(by_id[chunk_id] for chunk_id in packed["sources"]),
                best=packed["best"],
                is_low_confidence=packed["low"],
                question=packed["respelt"] or query.text,
                trace={**packed["trace"], "cache": "hit"},
                read_as=packed["read_as"],
                read_in=packed["read_in"],
                bare=packed["bare"],
            )
        except (struct.error, ValueError, KeyError, TypeError) as error:
            log.warning("retrieval_cache.unreadable", reason=repr(error))
            return None


def cache_key(agent: LiveAgent, query: SearchQuery) -> str:
    """Agent, generation, configuration version, question, page, language and filters. The configuration is hashed as
    well, because a draft has no version of its own."""
    parts = [
        str(agent.id),
        str(agent.generation),
        str(agent.version),
        repr((agent.config.retrieval, agent.config.confidence_threshold)),
        question_key(query.text) or query.text,
        page_key(query.page_url) if query.page_url else "",
        query.language or "",
        query.asked_in or "",
        query.bare if query.is_joined else "",
        repr([only for only in query.filters if not only.is_open]),
    ]
    return "ranking:" + hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _packed(retrieval: Retrieval, query: SearchQuery) -> bytes:
    """A line of JSON followed by the scores as doubles, because encoding them as JSON took most of the time. The
    question is left out: the next caller has it."""
    ranked = retrieval.ranked[:KEPT]
    ids = [item.chunk.id for item in ranked]
    packed = {
        "ids": ids,
        "current": [item.chunk.id for item in ranked if item.is_current_page],
        "sources": [item.chunk.id for item in retrieval.sources if item.chunk.id in ids],
        "best": retrieval.best,
        "low": retrieval.is_low_confidence,
        "respelt": "" if retrieval.question == query.text else retrieval.question,
        "trace": retrieval.trace,
        "read_as": retrieval.read_as,
        "read_in": retrieval.read_in,
        "bare": retrieval.bare,
    }
    scores = [math.nan if score is None else score for item in ranked for score in _scores_of(item)]
    return json.dumps(packed).encode() + b"\n" + struct.pack(f"<{len(scores)}d", *scores)


def _rows(scores: bytes, count: int) -> list[dict[str, Any]]:
    """The scores of `count` chunks by name. Raises struct.error."""
    numbers = struct.iter_unpack(f"<{len(_SCORES)}d", scores)
    rows = [
        {name: None if math.isnan(score) else score for name, score in zip(_SCORES, row, strict=True)}
        for row in numbers
    ]
    if len(rows) != count:
        raise struct.error("not the scores of these chunks")
    return rows
