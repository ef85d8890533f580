"""Embedder: each call a span, by OpenTelemetry's conventions for generative AI."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from app.kit.tracing import Span, Value, span
from app.providers.embedding.embedder import Embedder, WrappedEmbedder


class TracedEmbedder(WrappedEmbedder):
    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with embedding_span(self._embedder, texts):
            return await self._embedder.embed(texts)


def embedding_span(embedder: Embedder, texts: Sequence[str]) -> AbstractContextManager[Span]:
    """A span around one call for `texts`. A model id without a host is that of the shipped model."""
    host, _, model = embedder.model_id.partition("/")
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai" if model else "docent",
        "gen_ai.request.model": model or host,
        "gen_ai.embeddings.dimension.count": embedder.dimensions,
        "docent.texts": len(texts),
    }
    if model:
        attributes["server.address"] = host
    return span(f"embeddings {model or host}", attributes, kind="client" if model else "internal")
