"""Vectors by (content hash, model id): the same text is never embedded twice."""

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import select

from app.store.tables.knowledge import EMBEDDING_CACHE
from app.store.transaction import Repository, batches

_FLOAT = np.dtype("<f4")


class EmbeddingCache(Repository):
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
