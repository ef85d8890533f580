"""Embedder: keeps recent vectors, so that texts are not embedded again."""

from array import array
from collections.abc import Sequence
from hashlib import sha256

from app.kit.recent_values import RecentValues
from app.providers.embedding.batching_embedder import BatchingEmbedder, Vectors
from app.providers.embedding.embedder import WrappedEmbedder


class RememberingEmbedder(WrappedEmbedder):
    """The vectors of up to `max_texts` texts, in single precision. An answer asks for its question's meaning several
    times, and visitors ask about the same pages. The texts, which may be visitors' words, are not kept."""

    def __init__(self, embedder: BatchingEmbedder, *, max_texts: int = 1024) -> None:
        super().__init__(embedder)
        self._batches = embedder
        self._known = RecentValues[bytes, "array[float]"](max_texts)  # 4 bytes a number, where a list takes 32

    @property
    def is_full(self) -> bool:
        return self._batches.is_full

    async def embed(self, texts: Sequence[str]) -> Vectors:
        keys = {text: sha256(text.encode(errors="surrogatepass")).digest() for text in texts}
        vectors = {text: vector for text, key in keys.items() if (vector := self._known.get(key)) is not None}
        missing = [text for text in keys if text not in vectors]
        if missing:
            for text, numbers in zip(missing, await self._embedder.embed(missing), strict=True):
                vectors[text] = array("f", numbers)
                self._known.keep(keys[text], vectors[text])
        return [vectors[text].tolist() for text in texts]
