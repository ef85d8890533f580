"""The vectors of texts, from the cache where they are known."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from app.providers.embedding.embedder import Embedder
from app.store.stored_vectors import EmbeddingCache
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.transaction import batches

_TEXTS_A_CALL: Final = 64


async def text_vectors(
    record: SystemOfRecord, embedder: Embedder, texts: Mapping[str, str]
) -> tuple[dict[str, list[float]], Collection[str]]:
    """The vector of each text by its key in `texts`, its content hash, and the keys that had to be embedded. Vectors
    are cached after each call of the embedder, so an error or a cancellation keeps those made before it.

    Raises EmbedderUnavailable, Overloaded.
    """
    model = embedder.model_id
    vectors = await record.read(lambda tx: EmbeddingCache(tx).cached_embeddings(model, list(texts)))
    missing = [digest for digest in texts if digest not in vectors]
    for hashes in batches(missing, _TEXTS_A_CALL):
        made = dict(zip(hashes, await embedder.embed([texts[digest] for digest in hashes]), strict=True))
        await record.write(partial(_cache, model, made))
        vectors |= made
    return vectors, frozenset(missing)


def _cache(model: str, vectors: Mapping[str, list[float]], tx: Transaction) -> None:
    EmbeddingCache(tx).cache_embeddings(model, vectors)
