"""The first stage: both indexes in parallel, then the system of record to drop what is no longer live."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from app.core.chunk import Chunk, IndexHit
from app.core.errors import EmbedderUnavailable, IndexUnavailable
from app.core.search_filter import SearchFilter
from app.core.text.words import without_stop_words
from app.kit.tracing import span
from app.kit.wiring import Wired
from app.knowledge.passages import read_versions_passing
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.search_indexes import KeywordIndex, VectorSearch
from app.search.rank_fusion import best_first
from app.search.retrieval import SearchQuery, Wording
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

_REFILL = 4  # factor for asking again when retired rows took places


@dataclass(frozen=True, slots=True)
class CandidateList:
    """What the indexes returned for one wording. `cosine` covers every recalled chunk, unless the wording is not
    searched by meaning or vectors are unavailable; a chunk missing from `bm25` shares no significant word with the
    wording."""

    wording: Wording
    cosine: dict[str, float] = field(default_factory=dict)
    bm25: dict[str, float] = field(default_factory=dict)
    vector_order: list[str] = field(default_factory=list)
    keyword_order: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every live chunk that an index returned for a wording. `own` is the result for the question itself, `others`
    those for its other wordings. For a question in parts, `found_by` has for each chunk the part that found it.
    `missing` names the indexes that were unavailable."""

    chunks: dict[str, Chunk]
    own: CandidateList
    others: tuple[CandidateList, ...] = ()
    found_by: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def question_of(self, chunk_id: str) -> str:
        """The question, or the part of it, that found the chunk."""
        return self.found_by.get(chunk_id, self.own.wording.text)


class CandidateFinder(Wired):
    """Finds candidates by meaning and by words. Works without one of the indexes, and raises without both."""

    _records: SystemOfRecord
    _embedder: Embedder
    _vectors: VectorSearch
    _keywords: KeywordIndex

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that the embedding model reads; None for all."""
        return self._embedder.reads

    async def find(
        self,
        agent_id: UUID,
        query: SearchQuery,
        wordings: Sequence[Wording],
        per_list: int,
        filters: Sequence[SearchFilter] = (),
    ) -> Candidates:
        """Up to `per_list` live chunks from each index for each wording, the first of which is the question itself.

        Raises IndexUnavailable if neither index is available.
        """
        among = await read_versions_passing(self._records, agent_id, filters)
        count = per_list + per_list // 5
        by_meaning, by_words = await asyncio.gather(
            self._by_meaning(agent_id, wordings, count, among),
            asyncio.gather(*(self._by_words(agent_id, query, one, count, among) for one in wordings)),
        )
        chunks = await self._live(agent_id, per_list, count, [*by_meaning, *by_words])
        missing = [
            name
            for name, lists in (("vectors", by_meaning), ("keywords", by_words))
            if any(hits.is_away for hits in lists)
        ]
        if len(missing) == 2:
            raise IndexUnavailable("Neither search index can be read. Run `docent doctor`, then `docent reindex`.")
        cosines = await asyncio.gather(*(self._cosines(agent_id, hits, chunks) for hits in by_meaning))
        lists = tuple(
            CandidateList(wording, cosine, by_keywords.scores, meant.order, by_keywords.order)
            for wording, cosine, meant, by_keywords in zip(wordings, cosines, by_meaning, by_words, strict=True)
        )
        return _candidates(chunks, lists, missing)

    async def _by_meaning(
        self, agent_id: UUID, wordings: Sequence[Wording], count: int, among: Collection[UUID] | None
    ) -> list["_Hits"]:
        meant = [wording.text for wording in wordings if wording.is_meant]
        try:
            vectors = iter(await self._embedder.embed(meant))
        except EmbedderUnavailable as error:
            log.warning("recall.vectors_away", reason=str(error))
            return [_Hits(is_away=True) for _ in wordings]
        return await asyncio.gather(
            *(
                self._nearest(agent_id, next(vectors) if wording.is_meant else None, count, among)
                for wording in wordings
            )
        )

    async def _nearest(
        self, agent_id: UUID, vector: list[float] | None, count: int, among: Collection[UUID] | None
    ) -> "_Hits":
        if vector is None:
            return _Hits()
        hits = _Hits(lambda n: self._vectors.search(agent_id, vector, n, among), vector)
        await hits.ask(count)
        return hits

    async def _by_words(
        self, agent_id: UUID, query: SearchQuery, wording: Wording, count: int, among: Collection[UUID] | None
    ) -> "_Hits":
        if not wording.is_said:
            return _Hits()
        words = without_stop_words(wording.text, query.asked_in)
        hits = _Hits(lambda n: self._keywords.search(agent_id, query.language, words, n, among))
        await hits.ask(count)
        return hits

    async def _live(self, agent_id: UUID, limit: int, count: int, lists: Sequence["_Hits"]) -> dict[str, Chunk]:
        """Ask the system of record which chunks are live, after the searches and for all lists at once. A list in which
        retired rows took places is asked again for more."""
        chunks = await self._chunks(agent_id, lists)
        short = [hits for hits in lists if len(hits.found) >= count and hits.count_in(chunks) < limit]
        if short:
            await asyncio.gather(*(hits.ask(count * _REFILL) for hits in short))
            chunks |= await self._chunks(agent_id, short)
        for hits in lists:
            hits.keep(chunks, limit)
        return {key: chunks[key] for hits in lists for key in hits.scores}

    async def _chunks(self, agent_id: UUID, lists: Sequence["_Hits"]) -> dict[str, Chunk]:
        ids = list(dict.fromkeys(hit.chunk_id for hits in lists for hit in hits.found))
        return await self._records.of_agent(agent_id).read(
            lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, ids)
        )

    async def _cosines(self, agent_id: UUID, hits: "_Hits", chunks: Collection[str]) -> dict[str, float]:
        """Compute the cosine of chunks that only the other index found: an estimate would distort the fusion."""
        others = [chunk_id for chunk_id in chunks if chunk_id not in hits.scores]
        if not others or hits.vector is None or hits.is_away:
            return hits.scores
        try:
            return hits.scores | await self._vectors.similarities(agent_id, hits.vector, others)
        except IndexUnavailable as error:
            log.warning("recall.similarities_away", reason=str(error))
            return hits.scores


def _candidates(chunks: dict[str, Chunk], lists: Sequence[CandidateList], missing: list[str]) -> Candidates:
    others = tuple(one for one in lists[1:] if not one.wording.is_part)
    parts = [one for one in lists if one.wording.is_part]
    if not parts:
        return Candidates(chunks, lists[0], others, missing=missing)
    # A long text as a whole resembles no chunk, so each chunk answers the part that it is nearest to.
    cosine, bm25 = _best([part.cosine for part in parts]), _best([part.bm25 for part in parts])
    own = CandidateList(lists[0].wording, cosine, bm25, best_first(cosine), best_first(bm25))
    verbatim = [part for part in parts if part.wording.is_said] or parts
    found_by = {
        key: max(verbatim, key=lambda part: (part.cosine.get(key, -1.0), part.bm25.get(key, 0.0))).wording.text
        for key in chunks
    }
    return Candidates(chunks, own, others, found_by, missing)


def _best(scores: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: max(one[key] for one in scores if key in one) for key in {key for one in scores for key in one}}


@dataclass(slots=True)
class _Hits:
    """One index's hits for one wording, best first; `scores` has the live ones. Without `search`, it is not asked."""

    search: Callable[[int], Awaitable[list[IndexHit]]] | None = None
    vector: list[float] | None = None
    is_away: bool = False
    found: list[IndexHit] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)

    @property
    def order(self) -> list[str]:
        return list(self.scores)

    async def ask(self, count: int) -> None:
        if self.search is None:
            self.found = []
            return
        try:
            with span("docent.recall.vectors" if self.vector else "docent.recall.keywords", {"docent.asked": count}):
                self.found = await self.search(count)
        except IndexUnavailable as error:
            log.warning("recall.vectors_away" if self.vector else "recall.keywords_away", reason=str(error))
            self.is_away, self.found = True, []

    def count_in(self, chunks: Collection[str]) -> int:
        return sum(hit.chunk_id in chunks for hit in self.found)

    def keep(self, chunks: Collection[str], limit: int) -> None:
        live = [hit for hit in self.found if hit.chunk_id in chunks][:limit]
        self.scores = {hit.chunk_id: hit.score for hit in live}
