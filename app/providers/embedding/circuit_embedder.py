"""Embedder: a distant one, as visitors' questions use it."""

import asyncio
from collections.abc import Sequence

from app.core.errors import EmbedderUnavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.providers.embedding.embedder import Embedder, WrappedEmbedder


class CircuitEmbedder(WrappedEmbedder):
    """Waits `seconds` at most, and leaves the service alone while it is away: keywords answer meanwhile. Pages are
    embedded without this, for they can wait."""

    def __init__(self, embedder: Embedder, circuit: CircuitBreaker, *, seconds: float) -> None:
        super().__init__(embedder)
        self._circuit = circuit
        self._seconds = seconds

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            with self._circuit.call((EmbedderUnavailable, TimeoutError)):
                async with asyncio.timeout(self._seconds):
                    return await self._embedder.embed(texts)
        except CircuitOpen as error:
            raise EmbedderUnavailable(str(error)) from error
        except TimeoutError as error:
            raise EmbedderUnavailable(f"The embedding service took longer than {self._seconds:g} s.") from error
