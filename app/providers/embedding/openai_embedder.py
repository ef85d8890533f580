"""Embedder by any endpoint with OpenAI's embeddings API."""

from collections.abc import Sequence
from typing import Final, Literal

import httpx2
import numpy as np
from openai import AsyncOpenAI, omit

from app.core.errors import EmbedderUnavailable
from app.core.text.letter_forms import encodable
from app.kit.tracing import trace_headers
from app.providers.embedding.embedder import Gloss
from app.providers.openai_errors import OPENAI_ERRORS, what_happened

_BATCH: Final = 64  # texts in one request; the smallest limit that common servers have


class OpenAIEmbedder:
    """`dimensions` is the length of the model's vectors; with `can_shorten`, it is sent to the provider. `wire` is the
    encoding of numbers: base64 is a quarter of the size, but some servers know only float."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int,
        max_tokens: int = 8_191,
        api_key: str | None = None,
        can_shorten: bool = False,
        wire: Literal["base64", "float"] = "base64",
        timeout_seconds: float = 10.0,
        max_retries: int = 2,
    ) -> None:
        self._model = model
        self._dimensions = dimensions
        self._max_tokens = max_tokens
        self._can_shorten = can_shorten
        self._wire = wire
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or "none",
            max_retries=max_retries,
            timeout=httpx2.Timeout(timeout_seconds, connect=min(3.0, timeout_seconds)),
        )

    @property
    def model_id(self) -> str:
        return f"{self._client.base_url.host}/{self._model}"

    @property
    def reads(self) -> None:
        return None  # an endpoint does not tell which languages its model reads

    @property
    def knows(self) -> None:
        return None

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    async def gloss(self, text: str) -> Gloss | None:
        """None: as far as is known, the model reads every language itself."""
        return None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _BATCH):
            vectors += await self._embed_batch(texts[start : start + _BATCH])
        return vectors

    async def close(self) -> None:
        await self._client.close()

    async def _embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            response = await self._client.embeddings.create(
                model=self._model,
                input=[encodable(text) if text.strip() else "-" for text in texts],  # OpenAI refuses the empty text
                dimensions=self._dimensions if self._can_shorten else omit,
                # By default the SDK asks for base64 and decodes it; if asked explicitly, it would return it encoded.
                encoding_format="float" if self._wire == "float" else omit,
                extra_headers=trace_headers(),
            )
            found = {entry.index: entry.embedding for entry in response.data}
            vectors = np.asarray([found[number] for number in range(len(texts))], dtype=np.float64)
        except OPENAI_ERRORS as error:
            raise self._failed(what_happened(error)) from error
        if vectors.shape != (len(texts), self._dimensions):
            raise self._failed(f"gives vectors of {vectors.shape[-1]} numbers; {self._dimensions} are configured")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: list[list[float]] = (vectors / np.where(lengths > 0, lengths, 1.0)).tolist()
        return unit

    def _failed(self, happened: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"The embedding model {self._model} at {self._client.base_url.host} {happened}.")
