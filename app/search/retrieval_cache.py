"""Remembers rankings for 30 minutes. The key names everything a ranking depends on, so nothing is ever purged."""

import hashlib
import json
import zlib
from typing import Any
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.core.chunk import RankedChunk
from app.core.page_url import page_key
from app.core.turn import question_key
from app.kit.cache import Cache
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.search.retrieval import Retrieval, SearchQuery, StageListener
from app.search.retriever import Retriever
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

TTL_SECONDS = 30 * 60
KEPT = 50  # ranked chunks remembered; the answer needs far fewer
_FASTEST = 1  # to a third, in 0.1 ms


class CachedRetriever:
    """A Retriever that asks another one on a miss. Keeps ids and scores only: text and URL are read from the system
    of record each time, so a cached ranking cannot show what has been deleted."""

    def __init__(self, inner: Retriever, cache: Cache, records: SystemOfRecord) -> None:
        self._inner = inner
        self._cache = cache
        self._records = records

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        key = cache_key(agent, query)
        remembered = await self._remembered(agent.id, key)
        if remembered is not None:
            return remembered
        retrieval = await self._inner.retrieve(agent, query, on_stage)
        if not retrieval.trace.get("missing"):  # a degraded ranking must not outlive its cause
            await self._cache.set(key, _packed(retrieval), ttl_seconds=TTL_SECONDS)
        return retrieval

    async def holds(self, agent: LiveAgent, query: SearchQuery) -> bool:
        """Whether the query's ranking is remembered now."""
        return await self._cache.get(cache_key(agent, query)) is not None

    async def _remembered(self, agent_id: UUID, key: str) -> Retrieval | None:
        raw = await self._cache.get(key)
        if raw is None:
            return None
        try:
            packed = json.loads(zlib.decompress(raw))
            ids = [row["id"] for row in packed["ranked"]]
            chunks = await self._records.of_agent(agent_id).read(
                lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, ids)
            )
            ranked = tuple(
                RankedChunk(chunk=chunks[row.pop("id")], **row) for row in packed["ranked"] if row["id"] in chunks
            )
            if len(ranked) != len(ids):
                return None
            by_id = {item.chunk.id: item for item in ranked}
            return Retrieval(
                ranked=ranked,
                sources=tuple(by_id[chunk_id] for chunk_id in packed["sources"]),
                best=packed["best"],
                is_low_confidence=packed["low"],
                question=packed["question"],
                trace={**packed["trace"], "cache": "hit"},
            )
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            log.warning("retrieval_cache.unreadable", reason=repr(error))
            return None


def cache_key(agent: LiveAgent, query: SearchQuery) -> str:
    """Agent, generation, config version, question, page, language and filters; the configuration is hashed as well,
    since a draft that is tried out has no version of its own."""
    parts = [
        str(agent.id),
        str(agent.generation),
        str(agent.version),
        repr((agent.config.retrieval, agent.config.confidence_threshold)),
        question_key(query.text) or query.text,
        page_key(query.page_url) if query.page_url else "",
        query.language or "",
        query.asked_in or "",
        repr([only for only in query.filters if not only.is_open]),
    ]
    return "retrieval:" + hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _packed(retrieval: Retrieval) -> bytes:
    ranked: list[dict[str, Any]] = [
        {
            "id": item.chunk.id,
            "order": item.order,
            "calibrated": item.calibrated,
            "fused": item.fused,
            "cosine": item.cosine,
            "bm25": item.bm25,
            "coverage": item.coverage,
            "logit": item.logit,
            "is_current_page": item.is_current_page,
        }
        for item in retrieval.ranked[:KEPT]
    ]
    kept = {row["id"] for row in ranked}
    packed = {
        "ranked": ranked,
        "sources": [item.chunk.id for item in retrieval.sources if item.chunk.id in kept],
        "best": retrieval.best,
        "low": retrieval.is_low_confidence,
        "question": retrieval.question,
        "trace": retrieval.trace,
    }
    return zlib.compress(json.dumps(packed).encode(), _FASTEST)
