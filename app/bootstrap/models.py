"""Creates the models that the settings choose, and imports only these. `closing` receives what must be closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakSet

from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits import ConcurrencyLimiter
from app.model_settings import ChatEndpoint
from app.providers.onnx_threads import EMBEDDER_FOLDER, RERANKER_FOLDER
from app.settings import Settings
from crawler.address_policy import AddressPolicy

if TYPE_CHECKING:
    from app.agents.model_endpoint import ModelEndpoint
    from app.kit.meters import CircuitMeter
    from app.knowledge.context_writer import ContextWriter
    from app.providers.chat.chat_model import ChatModel, NamedChatModels
    from app.providers.chat.openai_chat_model import OpenAIChatModel
    from app.providers.embedding.embedder import BatchingEmbedder, Embedder, RememberingEmbedder, TokenEmbedder
    from app.providers.onnx_threads import OnnxThreads
    from app.providers.reranking.reranker import Reranker

_QUESTION_EMBEDDING_SECONDS: Final = 2.0
_DISTANT_RUNS: Final = 8  # requests to an embedding service at once
_DISTANT_RANKINGS: Final = 32  # requests to a reranking service at once
_MODEL_WAIT_SECONDS: Final = 5.0  # for a free slot; after that, the answer quotes the pages


def configured_embedder(settings: Settings, threads: OnnxThreads, closing: AsyncExitStack) -> Embedder:
    """The shipped model, or that of an endpoint."""
    if not settings.embeddings_url:
        from app.providers.embedding.onnx_embedder import OnnxEmbedder

        return OnnxEmbedder(EMBEDDER_FOLDER, threads)
    from app.providers.embedding.openai_embedder import OpenAIEmbedder

    embedder = OpenAIEmbedder(
        base_url=settings.embeddings_url,
        model=settings.embeddings_model,
        dimensions=settings.embeddings_dimensions,
        can_shorten=settings.embeddings_shorten,
        wire=settings.embeddings_wire,
        max_tokens=settings.embeddings_max_tokens,
        api_key=settings.embeddings_key.get_secret_value() or None,
    )
    closing.push_async_callback(embedder.close)
    return embedder


def configured_question_embedder(settings: Settings, embedder: Embedder, circuits: CircuitMeter) -> RememberingEmbedder:
    """The embedder for visitors' questions, which unlike pages cannot wait."""
    from app.providers.embedding.embedder import RememberingEmbedder

    return RememberingEmbedder(_batching(settings, embedder, circuits))


def configured_token_embedder(embedder: Embedder) -> TokenEmbedder | None:
    """The shipped model; None for an endpoint, which returns one vector per text."""
    from app.providers.embedding.onnx_embedder import OnnxEmbedder

    return embedder.for_questions() if isinstance(embedder, OnnxEmbedder) else None


def _batching(settings: Settings, embedder: Embedder, circuits: CircuitMeter) -> BatchingEmbedder:
    from app.providers.embedding.embedder import BatchingEmbedder
    from app.providers.embedding.onnx_embedder import OnnxEmbedder

    if isinstance(embedder, OnnxEmbedder):
        return BatchingEmbedder(embedder.for_questions(), max_waiting=settings.embedder_queue)
    from app.providers.circuits import CircuitEmbedder

    circuit = CircuitBreaker("embedder", on_change=circuits.watch("embedder"))
    guarded = CircuitEmbedder(embedder, circuit, seconds=_QUESTION_EMBEDDING_SECONDS)
    return BatchingEmbedder(guarded, runs=_DISTANT_RUNS, max_waiting=settings.embedder_queue)


def configured_reranker(
    settings: Settings, threads: OnnxThreads, circuits: CircuitMeter, closing: AsyncExitStack
) -> Reranker:
    """The shipped model, or that of an endpoint."""
    from app.providers.reranking.reranker import SheddingReranker

    if not settings.rerank_url:
        from app.providers.reranking.onnx_reranker import OnnxReranker

        folder = Path(settings.rerank_folder) if settings.rerank_folder else RERANKER_FOLDER
        return SheddingReranker(OnnxReranker(folder, threads))
    from app.providers.circuits import CircuitReranker
    from app.providers.reranking.http_reranker import HttpReranker

    reranker = HttpReranker(
        url=settings.rerank_url,
        shape=settings.rerank_shape,
        model=settings.rerank_model,
        scores=settings.rerank_scores,
        api_key=settings.rerank_key.get_secret_value() or None,
    )
    closing.push_async_callback(reranker.close)
    guarded = CircuitReranker(reranker, CircuitBreaker("reranker", on_change=circuits.watch("reranker")))
    return SheddingReranker(guarded, places=_DISTANT_RANKINGS)


def configured_model_limiter(settings: Settings) -> ConcurrencyLimiter:
    """A limit on the number of answers that chat endpoints write at once."""
    running = settings.model_calls or settings.max_turns
    return ConcurrencyLimiter(running=running, waiting=settings.model_queue, wait_seconds=_MODEL_WAIT_SECONDS)


def configured_chat_model(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> ChatModel | None:
    """The model for visitors' questions, with its fallback; None if neither is set.

    A request is repeated once, and only after two seconds at most: no visitor waits for a provider to recover.
    """
    return _impatient(settings, circuits, closing, limiter, ("model", "fallback_model"))


def configured_helper_model(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> ChatModel | None:
    """The model for text that visitors do not read: rewriting, ranking. None if the main model does that too."""
    return _impatient(settings, circuits, closing, limiter, ("helper_model",))


def configured_named_models(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> NamedChatModels:
    """The models that agents choose by name, each with the fallback model."""
    from app.providers.chat.chat_model import NamedChatModels

    chosen = {
        name: _impatient(settings, circuits, closing, limiter, (f"model {name}", "fallback_model"))
        for name in settings.models
    }
    return NamedChatModels({name: model for name, model in chosen.items() if model})


def _impatient(
    settings: Settings,
    circuits: CircuitMeter,
    closing: AsyncExitStack,
    limiter: ConcurrencyLimiter | None,
    parts: Sequence[str],
) -> ChatModel | None:
    if settings.chat_endpoints.keys().isdisjoint(parts):
        return None
    from app.providers.chat.bounded_chat_model import BoundedChatModel

    model = _first_of(settings, circuits, closing, parts, is_waited_for=True)
    return BoundedChatModel(model, limiter) if limiter else model


def _first_of(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, parts: Sequence[str], *, is_waited_for: bool
) -> ChatModel:
    """The first configured model of `parts`, with the others as fallbacks. Requests are only retried if nobody
    waits."""
    from app.providers.chat.failover_chat_model import FailoverChatModel

    retries, times = (0, settings) if is_waited_for else (2, None)
    return FailoverChatModel(
        [
            _watched(model, endpoint.name, endpoint.url, CircuitBreaker(part, on_change=circuits.watch(part)), times)
            for part, endpoint, model in chat_models(settings, closing, parts, max_retries=retries)
        ]
    )


def _watched(model: ChatModel, name: str, url: str, circuit: CircuitBreaker, times: Settings | None) -> ChatModel:
    """The model with spans, a circuit breaker and, if `times` is given, time limits."""
    from app.providers.chat.bounded_chat_model import TimedChatModel
    from app.providers.chat.traced_chat_model import TracedChatModel
    from app.providers.circuits import CircuitChatModel

    watched: ChatModel = TracedChatModel(model, name=name, url=url)
    if times:
        watched = TimedChatModel(
            watched,
            silence_seconds=times.model_silence_seconds,
            thinking_seconds=times.model_thinking_seconds,
            answer_seconds=times.model_answer_seconds,
        )
    return CircuitChatModel(watched, circuit)


class WorkspaceModels:
    """Opens and probes the models that workspaces have added. They have no fallback, because their workspace has not
    chosen one. A model that is no longer used need not be closed: its idle connections close after some seconds."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: WeakSet[OpenAIChatModel] = WeakSet()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for model in list(self._opened):
            await model.close()

    def canonical(self, url: str) -> str:
        from app.kit.guarded_client import canonical_url

        return canonical_url(url, AddressPolicy(frozenset(self._settings.crawl_allow)), "url", "asked at")

    async def probe(self, endpoint: ModelEndpoint, key: str) -> str:
        from app.providers.chat.model_reply import readiness

        model = self._open(endpoint, key)
        try:
            return await readiness(model)
        finally:
            await model.close()

    def opened(self, endpoint: ModelEndpoint, key: str, limiter: ConcurrencyLimiter) -> ChatModel:
        """Open a model. Raises InvalidInput if its address must not be called (any more)."""
        from app.providers.chat.bounded_chat_model import BoundedChatModel

        circuit = CircuitBreaker(f"model {endpoint.name}")
        model = self._open(endpoint, key)
        self._opened.add(model)
        return BoundedChatModel(_watched(model, endpoint.model, endpoint.url, circuit, self._settings), limiter)

    def _open(self, endpoint: ModelEndpoint, key: str) -> OpenAIChatModel:
        url = self.canonical(endpoint.url)
        return _openai_model(self._settings, endpoint, url, endpoint.model, key, max_retries=0, is_guarded=True)


def configured_context_writer(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack
) -> ContextWriter | None:
    """The writer of contexts, with the helper model, else the chat model; None without either. Although nobody waits,
    it has circuit breakers, because a site has many pages."""
    parts = ("helper_model",) if settings.helper_model_url else ("model", "fallback_model")
    names = [endpoint.name for part in parts if (endpoint := settings.chat_endpoints.get(part))]
    if not names:
        return None
    from app.knowledge.context_writer import ContextWriter

    return ContextWriter(_first_of(settings, circuits, closing, parts, is_waited_for=False), names[0])


def chat_models(
    settings: Settings, closing: AsyncExitStack, parts: Iterable[str], *, max_retries: int
) -> Iterator[tuple[str, ChatEndpoint, OpenAIChatModel]]:
    """(part, endpoint, model) for each of `parts` that is set, in order."""
    known = settings.chat_endpoints
    for part, endpoint in [(part, known[part]) for part in parts if part in known]:
        key = endpoint.key.get_secret_value()
        model = _openai_model(settings, endpoint, endpoint.url, endpoint.name, key, max_retries=max_retries)
        closing.push_async_callback(model.close)
        yield part, endpoint, model


def _openai_model(
    settings: Settings,
    endpoint: ChatEndpoint | ModelEndpoint,
    url: str,
    name: str,
    key: str,
    *,
    max_retries: int,
    is_guarded: bool = False,
) -> OpenAIChatModel:
    from app.providers.chat.guarded_chat_client import guarded_client
    from app.providers.chat.openai_chat_model import OpenAIChatModel

    return OpenAIChatModel(
        base_url=url,
        model=name,
        api_key=key or None,
        silence_seconds=settings.model_silence_seconds,
        max_retries=max_retries,
        temperature=endpoint.temperature,
        reasoning_effort=endpoint.reasoning_effort,
        reasoning_tokens=endpoint.reasoning_tokens,
        has_cache_control=settings.model_cache_control,
        client=guarded_client(settings.crawl_allow) if is_guarded else None,
    )
