"""What the patterns of semantic curated answers mean, as one matrix for each set of them."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from app.core.chunk import content_hash
from app.providers.embedding.embedder import Embedder
from app.store.embedding_cache import EmbeddingCache
from app.store.system_of_record import SystemOfRecord

Vectors = npt.NDArray[np.float32]

_KEPT_ROWS: Final = 10_000  # 15 MB with the shipped model


class PatternVectors:
    """Sets that were asked for lately are kept in memory, all patterns in the record, by content and model."""

    def __init__(self, records: SystemOfRecord, embedder: Embedder) -> None:
        self._records = records
        self._embedder = embedder
        self._kept: OrderedDict[tuple[str, ...], Vectors] = OrderedDict()

    async def of(self, patterns: tuple[str, ...], within_seconds: float | None) -> Vectors:
        """One row of length 1 for each pattern, in order. Those that are new are embedded, within that time.

        Raises EmbedderUnavailable, TimeoutError, and what the record raises.
        """
        known = self._kept.get(patterns)
        if known is None:
            rows = await self._read(patterns, within_seconds)
            known = np.asarray(rows, np.float32).reshape(len(patterns), self._embedder.dimensions)
            self._kept[patterns] = known
            while len(self._kept) > 1 and sum(map(len, self._kept)) > _KEPT_ROWS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(patterns)
        return known

    async def _read(self, patterns: Sequence[str], within_seconds: float | None) -> list[list[float]]:
        model = self._embedder.model_id
        by_hash = {content_hash(pattern): pattern for pattern in sorted(set(patterns))}
        known = await self._records.read(lambda tx: EmbeddingCache(tx).cached_embeddings(model, list(by_hash)))
        missing = [digest for digest in by_hash if digest not in known]
        if missing:
            async with asyncio.timeout(within_seconds):
                made = await self._embedder.embed([by_hash[digest] for digest in missing])
            fresh = dict(zip(missing, made, strict=True))
            await self._records.write(lambda tx: EmbeddingCache(tx).cache_embeddings(model, fresh))
            known |= fresh
        return [known[content_hash(pattern)] for pattern in patterns]
