"""The adapters that the settings choose between. `closing` gets what has to be closed."""

from contextlib import AsyncExitStack
from typing import Final

from app.adapters.circuit_breaker import CircuitBreaker, CircuitListener
from app.adapters.failover_chat_model import FailoverChatModel
from app.adapters.fallback_rate_limiter import FallbackRateLimiter
from app.adapters.guarded_redis import GuardedRedis
from app.adapters.http_reranker import HttpReranker
from app.adapters.limits_rate_limiter import LimitsRateLimiter
from app.adapters.memory_cache import MemoryCache
from app.adapters.memory_rate_limiter import MemoryRateLimiter
from app.adapters.onnx_embedder import OnnxEmbedder
from app.adapters.onnx_reranker import OnnxReranker
from app.adapters.onnx_threads import OnnxThreads
from app.adapters.openai_chat_model import OpenAIChatModel
from app.adapters.openai_embedder import OpenAIEmbedder
from app.adapters.redis_cache import RedisCache
from app.adapters.redis_connection import redis_client
from app.adapters.shipped_weights import EMBEDDER_FOLDER, RERANKER_FOLDER
from app.knowledge.context_writer import ContextWriter
from app.ports.cache import Cache
from app.ports.chat_model import ChatModel
from app.ports.embedder import Embedder
from app.ports.rate_limiter import RateLimiter
from app.ports.reranker import Reranker
from app.settings import Settings

_REDIS_COOL_DOWN_SECONDS: Final = 5.0  # a try costs one visitor the wait of one call


def configured_embedder(settings: Settings, threads: OnnxThreads, closing: AsyncExitStack) -> Embedder:
    """The shipped model, or an endpoint's."""
    if not settings.embeddings_url:
        return OnnxEmbedder(EMBEDDER_FOLDER, threads, cores=settings.threads)
    embedder = OpenAIEmbedder(
        base_url=settings.embeddings_url,
        model=settings.embeddings_model,
        dimensions=settings.embeddings_dimensions,
        api_key=settings.embeddings_key.get_secret_value() or None,
    )
    closing.push_async_callback(embedder.close)
    return embedder


def configured_reranker(settings: Settings, threads: OnnxThreads, closing: AsyncExitStack) -> Reranker:
    """The shipped model, or an endpoint's."""
    if not settings.rerank_url:
        return OnnxReranker(RERANKER_FOLDER, threads, cores=settings.threads)
    reranker = HttpReranker(
        url=settings.rerank_url,
        shape=settings.rerank_shape,
        model=settings.rerank_model,
        api_key=settings.rerank_key.get_secret_value() or None,
    )
    closing.push_async_callback(reranker.close)
    return reranker


def configured_redis(settings: Settings, circuits: CircuitListener, closing: AsyncExitStack) -> GuardedRedis | None:
    """What several web processes share; None for a process of its own."""
    url = settings.redis_url.get_secret_value()
    if not url:
        return None
    circuit = CircuitBreaker("redis", cool_down_seconds=_REDIS_COOL_DOWN_SECONDS, listener=circuits)
    redis = GuardedRedis(redis_client(url), circuit)
    closing.push_async_callback(redis.close)
    return redis


def configured_cache(redis: GuardedRedis | None) -> Cache:
    return RedisCache(redis) if redis else MemoryCache()


def configured_rate_limiter(redis: GuardedRedis | None) -> RateLimiter:
    """On Redis, with this process's own behind it."""
    own = MemoryRateLimiter()
    return FallbackRateLimiter(LimitsRateLimiter(redis), own) if redis else own


def configured_chat_model(settings: Settings, closing: AsyncExitStack) -> ChatModel | None:
    """The model and its fallback, those of them that are set; None without any."""
    configured = (
        (settings.model_url, settings.model_name, settings.model_key),
        (settings.fallback_model_url, settings.fallback_model_name, settings.fallback_model_key),
    )
    models = []
    for url, name, key in configured:
        if url:
            model = OpenAIChatModel(
                base_url=url,
                model=name,
                api_key=key.get_secret_value() or None,
                silence_seconds=settings.model_silence_seconds,
            )
            closing.push_async_callback(model.close)
            models.append(model)
    return FailoverChatModel(models) if models else None


def configured_context_writer(settings: Settings, closing: AsyncExitStack) -> ContextWriter | None:
    """By the chat model; None without one."""
    model = configured_chat_model(settings, closing)
    return ContextWriter(model, settings.model_name or settings.fallback_model_name) if model else None
