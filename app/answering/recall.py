"""First stage: both indexes, side by side, then the system of record for what is still live."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from app.answering.retrieval import SearchQuery
from app.domain.chunk import Chunk, IndexHit
from app.domain.errors import EmbedderUnavailable, IndexUnavailable
from app.ports.embedder import Embedder
from app.ports.keyword_index import KeywordIndex
from app.ports.records.transaction import SystemOfRecord
from app.ports.vector_index import VectorIndex

log = structlog.get_logger(__name__)

_REFILLS = 2  # times the search is widened when retired rows took places


@dataclass(frozen=True, slots=True)
class Recalled:
    """Every live chunk that either index named. `cosine` covers all of `chunks` unless vectors were away; a chunk
    missing from `bm25` shares no telling word with the question. `missing` names what could not be asked."""

    chunks: dict[str, Chunk]
    cosine: dict[str, float]
    bm25: dict[str, float]
    vector_order: list[str]
    keyword_order: list[str]
    missing: list[str] = field(default_factory=list)


class Recall:
    """Finds candidates by meaning and by words. One index away leaves the other; both away raise."""

    def __init__(
        self, records: SystemOfRecord, embedder: Embedder, vectors: VectorIndex, keywords: KeywordIndex
    ) -> None:
        self._records = records
        self._embedder = embedder
        self._vectors = vectors
        self._keywords = keywords

    async def find(self, agent_id: UUID, query: SearchQuery, per_list: int) -> Recalled:
        """Up to `per_list` live chunks from each index.

        Raises IndexUnavailable when neither index can be asked.
        """
        by_vector, by_keyword = await asyncio.gather(
            self._by_vector(agent_id, query.text, per_list),
            self._by_keyword(agent_id, query, per_list),
        )
        missing = [hits.away for hits in (by_vector, by_keyword) if hits.away]
        if len(missing) == 2:
            raise IndexUnavailable("Neither search index can be read. Run `docent doctor`, then `docent reindex`.")
        chunks = by_vector.chunks | by_keyword.chunks
        cosine = by_vector.scores | await self._other_cosines(agent_id, by_vector, by_keyword)
        return Recalled(chunks, cosine, by_keyword.scores, by_vector.order, by_keyword.order, missing)

    async def _by_vector(self, agent_id: UUID, text: str, limit: int) -> "_LiveHits":
        try:
            [vector] = await self._embedder.embed([text])
            hits = await self._live(agent_id, limit, lambda n: self._vectors.search(agent_id, vector, n))
        except (EmbedderUnavailable, IndexUnavailable) as error:
            log.warning("recall.vectors_away", reason=str(error))
            return _LiveHits(away="vectors")
        hits.vector = vector
        return hits

    async def _by_keyword(self, agent_id: UUID, query: SearchQuery, limit: int) -> "_LiveHits":
        try:
            return await self._live(
                agent_id, limit, lambda n: self._keywords.search(agent_id, query.language, query.text, n)
            )
        except IndexUnavailable as error:
            log.warning("recall.keywords_away", reason=str(error))
            return _LiveHits(away="keywords")

    async def _live(
        self, agent_id: UUID, limit: int, search: Callable[[int], Awaitable[list[IndexHit]]]
    ) -> "_LiveHits":
        """Liveness is decided by the system of record, after the search; retired rows are refilled."""
        asked = limit + limit // 5
        for _ in range(_REFILLS):
            hits = await search(asked)
            async with self._records.read() as records:
                chunks = await records.documents.live_chunks(agent_id, [hit.chunk_id for hit in hits])
            live = [hit for hit in hits if hit.chunk_id in chunks][:limit]
            if len(live) == limit or len(hits) < asked:
                break
            asked *= 4
        return _LiveHits(
            chunks={hit.chunk_id: chunks[hit.chunk_id] for hit in live},
            scores={hit.chunk_id: hit.score for hit in live},
            order=[hit.chunk_id for hit in live],
        )

    async def _other_cosines(self, agent_id: UUID, by_vector: "_LiveHits", by_keyword: "_LiveHits") -> dict[str, float]:
        """Chunks that only the words found deserve their true cosine: a guess would bend the fusion."""
        others = [chunk_id for chunk_id in by_keyword.order if chunk_id not in by_vector.scores]
        if not others or by_vector.vector is None:
            return {}
        try:
            return await self._vectors.similarities(agent_id, by_vector.vector, others)
        except IndexUnavailable as error:
            log.warning("recall.similarities_away", reason=str(error))
            return {}


@dataclass(slots=True)
class _LiveHits:
    chunks: dict[str, Chunk] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    vector: list[float] | None = None
    away: str = ""
