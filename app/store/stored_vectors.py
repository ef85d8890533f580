"""Vectors as the database stores them: exactly, by what was embedded and by which model, and packed."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from sqlalchemy import select

from app.store.tables.knowledge import EMBEDDING_CACHE
from app.store.transaction import Repository, batches

_FLOAT: Final = np.dtype("<f4")
_STEPS: Final = 127


def packed(vector: Sequence[float]) -> bytes:
    """A vector of length 1 as its largest coordinate, a little-endian float32, and a byte for each coordinate: one
    changes by at most a 254th of the largest."""
    exact = np.asarray(vector, _FLOAT)
    largest = np.abs(exact).max()
    steps = np.rint(exact / (largest or 1) * _STEPS).astype(np.int8)
    return bytes(largest.tobytes() + steps.tobytes())


def unpacked(stored: bytes) -> tuple[float, ...]:
    [largest] = np.frombuffer(stored, _FLOAT, 1)
    return tuple((np.frombuffer(stored, np.int8, offset=_FLOAT.itemsize) / np.float32(_STEPS) * largest).tolist())


class EmbeddingCache(Repository):
    """Vectors by (content hash, model id): the same text is never embedded twice."""

    def cached_embeddings(self, model_id: str, content_hashes: Sequence[str]) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for batch in batches(dict.fromkeys(content_hashes)):
            statement = select(EMBEDDING_CACHE.c.content_hash, EMBEDDING_CACHE.c.vector).where(
                EMBEDDING_CACHE.c.model_id == model_id, EMBEDDING_CACHE.c.content_hash.in_(batch)
            )
            for content_hash, vector in self._connection.execute(statement):
                found[content_hash] = np.frombuffer(vector, _FLOAT).tolist()
        return found

    def cache_embeddings(self, model_id: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors by content hash; existing ones are left unchanged."""
        now = self._now()
        for batch in batches(sorted(vectors.items())):
            rows = [
                {
                    "content_hash": content_hash,
                    "model_id": model_id,
                    "vector": np.asarray(vector, _FLOAT).tobytes(),
                    "created_at": now,
                }
                for content_hash, vector in batch
            ]
            self._connection.execute(self._insert(EMBEDDING_CACHE).on_conflict_do_nothing(), rows)
