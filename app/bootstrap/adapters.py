"""The adapters that the settings choose, imported when they are chosen. `closing` gets what has to be closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from app.core.errors import Misconfigured
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits.concurrency_limiter import ConcurrencyLimiter
from app.kit.limits.memory_rate_limiter import MemoryRateLimiter
from app.kit.limits.memory_stream_slots import MemoryStreamSlots
from app.kit.memory_cache import MemoryCache
from app.mail.mail_server import smtp_server
from app.providers.shipped_weights import EMBEDDER_FOLDER, RERANKER_FOLDER
from app.settings import Settings
from app.store.secret_key_file import SecretKeyFile
from app.store.secret_keys import SecretKeys

if TYPE_CHECKING:
    from app.kit.cache import Cache
    from app.kit.limits.rate_limiter import RateLimiter
    from app.kit.limits.stream_slots import StreamSlots
    from app.kit.meters import CircuitMeter
    from app.kit.redis.redis_with_breaker import RedisWithBreaker
    from app.knowledge.chunk_limits import ChunkLimits
    from app.knowledge.context_writer import ContextWriter
    from app.mail.mailer import Mailer
    from app.providers.chat.chat_model import ChatModel
    from app.providers.chat.openai_chat_model import OpenAIChatModel
    from app.providers.embedding.batching_embedder import BatchingEmbedder
    from app.providers.embedding.embedder import Embedder
    from app.providers.embedding.remembering_embedder import RememberingEmbedder
    from app.providers.embedding.token_embedder import TokenEmbedder
    from app.providers.mail.mail_transport import MailTransport
    from app.providers.onnx_threads import OnnxThreads
    from app.providers.reranking.reranker import Reranker
    from app.sources.crawler_site_discovery import CrawlerSiteDiscovery
    from app.sources.files.file_bodies import FileBodies
    from app.turns.remote.remote_turns import SharedTurns

Part = Literal["model", "fallback_model", "helper_model"]

_QUESTION_EMBEDDING_SECONDS: Final = 2.0
_DISTANT_RUNS: Final = 8  # requests to an embedding service at once
_DISTANT_RANKINGS: Final = 32  # requests to a reranking service at once
_MODEL_WAIT_SECONDS: Final = 5.0  # for a place; then the pages' own words answer
_REDIS_COOL_DOWN_SECONDS: Final = 5.0  # a try costs one visitor the wait of one call


def configured_embedder(settings: Settings, threads: OnnxThreads, closing: AsyncExitStack) -> Embedder:
    """The shipped model, or an endpoint's."""
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


def configured_chunk_limits(settings: Settings, max_tokens: int) -> ChunkLimits:
    """For an embedder that reads `max_tokens`. Raises Misconfigured when it would not read a chunk to its end."""
    from app.knowledge.chunk_limits import RESERVED_TOKENS, ChunkLimits

    limits = ChunkLimits.for_embedder(max_tokens)
    if settings.chunk_tokens is None:
        return limits
    most = max_tokens - limits.context_tokens - RESERVED_TOKENS
    if settings.chunk_tokens > most:
        raise Misconfigured(
            f"DOCENT_CHUNK_TOKENS: the embedder reads {max_tokens} tokens, of which {max_tokens - most} are kept for "
            f"what stands before a chunk; set {most} or less."
        )
    return limits.of_size(settings.chunk_tokens)


def configured_question_embedder(settings: Settings, embedder: Embedder, circuits: CircuitMeter) -> RememberingEmbedder:
    """As visitors' questions use it: they cannot wait as pages can."""
    from app.providers.embedding.remembering_embedder import RememberingEmbedder

    return RememberingEmbedder(_batching(settings, embedder, circuits))


def configured_token_embedder(embedder: Embedder) -> TokenEmbedder | None:
    """The shipped model; endpoints give one vector for a text."""
    from app.providers.embedding.onnx_embedder import OnnxEmbedder

    return embedder.for_questions() if isinstance(embedder, OnnxEmbedder) else None


def _batching(settings: Settings, embedder: Embedder, circuits: CircuitMeter) -> BatchingEmbedder:
    from app.providers.embedding.batching_embedder import BatchingEmbedder
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
    """The shipped model, or an endpoint's."""
    from app.providers.reranking.shedding_reranker import SheddingReranker

    if not settings.rerank_url:
        from app.providers.reranking.onnx_reranker import OnnxReranker

        folder = Path(settings.rerank_folder) if settings.rerank_folder else RERANKER_FOLDER
        return SheddingReranker(OnnxReranker(folder, threads, cores=settings.threads))
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


def configured_redis(settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack) -> RedisWithBreaker | None:
    """What several web processes share; None for a process of its own."""
    url = settings.redis_url.get_secret_value()
    if not url:
        return None
    from app.kit.redis.redis_connection import redis_client
    from app.kit.redis.redis_with_breaker import RedisWithBreaker

    circuit = CircuitBreaker("redis", cool_down_seconds=_REDIS_COOL_DOWN_SECONDS, on_change=circuits.watch("redis"))
    redis = RedisWithBreaker(redis_client(url), circuit)
    closing.push_async_callback(redis.close)
    return redis


def configured_cache(redis: RedisWithBreaker | None) -> Cache:
    if not redis:
        return MemoryCache()
    from app.kit.redis.redis_cache import RedisCache

    return RedisCache(redis)


def configured_rate_limiter(redis: RedisWithBreaker | None) -> RateLimiter:
    """On Redis, with this process's own behind it."""
    own = MemoryRateLimiter()
    if not redis:
        return own
    from app.kit.limits.limits_rate_limiter import LimitsRateLimiter
    from app.kit.limits.rate_limiter import FallbackRateLimiter

    return FallbackRateLimiter(LimitsRateLimiter(redis), own)


def configured_stream_slots(redis: RedisWithBreaker | None) -> StreamSlots:
    """On Redis, with this process's own behind it."""
    own = MemoryStreamSlots()
    if not redis:
        return own
    from app.kit.limits.redis_stream_slots import RedisStreamSlots
    from app.kit.limits.stream_slots import FallbackStreamSlots

    return FallbackStreamSlots(RedisStreamSlots(redis), own)


def configured_shared_turns(settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack) -> SharedTurns:
    """Of this process alone, or on Redis for all web processes."""
    from app.turns.remote.remote_turns import SharedTurns

    url = settings.redis_url.get_secret_value()
    if not url:
        from app.turns.remote.unshared_turns import MemoryTurnOrders, UnsharedTurnLog

        return SharedTurns(UnsharedTurnLog(), MemoryTurnOrders())
    from app.kit.redis.blocking_redis import BlockingRedis
    from app.turns.remote.redis_turn_log import RedisTurnLog
    from app.turns.remote.redis_turn_orders import RedisTurnOrders

    circuit = CircuitBreaker(
        "turn_log", cool_down_seconds=_REDIS_COOL_DOWN_SECONDS, on_change=circuits.watch("turn_log")
    )
    redis = BlockingRedis(url, circuit)
    closing.push_async_callback(redis.close)
    return SharedTurns(RedisTurnLog(redis), RedisTurnOrders(redis))


def configured_key_file(settings: Settings) -> SecretKeyFile | None:
    """None where the environment holds the secret keys."""
    return None if settings.secret_keys else SecretKeyFile(settings.secret_key_file)


def configured_secret_keys(settings: Settings) -> SecretKeys:
    """Those of the environment, or the file's."""
    file = configured_key_file(settings)
    return SecretKeys(file.read if file else lambda: settings.secret_keys)


def configured_file_bodies(settings: Settings) -> FileBodies:
    """Raises Misconfigured for an object store that cannot be."""
    from app.sources.files.file_bodies import FileBodies

    if not settings.files_uri:
        return FileBodies()
    from app.providers.files.object_store_files import ObjectStoreFiles

    return FileBodies(ObjectStoreFiles.at(settings.files_uri, settings.file_options))


def configured_model_limiter(settings: Settings) -> ConcurrencyLimiter:
    """For the answers that chat endpoints write."""
    running = settings.model_calls or settings.max_turns
    return ConcurrencyLimiter(running=running, waiting=settings.model_queue, wait_seconds=_MODEL_WAIT_SECONDS)


def configured_chat_model(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> ChatModel | None:
    """For visitors' questions: the model and its fallback, those of them that are set; None without any.

    None is asked twice: the visitor does not wait for it to recover.
    """
    return _impatient(settings, circuits, closing, limiter, ("model", "fallback_model"))


def configured_helper_model(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack, limiter: ConcurrencyLimiter | None = None
) -> ChatModel | None:
    """For what visitors do not read: rewriting, ranking. None where the model does that too."""
    return _impatient(settings, circuits, closing, limiter, ("helper_model",))


def _impatient(
    settings: Settings,
    circuits: CircuitMeter,
    closing: AsyncExitStack,
    limiter: ConcurrencyLimiter | None,
    parts: Sequence[Part],
) -> ChatModel | None:
    if not _is_any_set(settings, parts):
        return None
    from app.providers.chat.bounded_chat_model import BoundedChatModel
    from app.providers.chat.failover_chat_model import FailoverChatModel
    from app.providers.chat.timed_chat_model import TimedChatModel
    from app.providers.chat.traced_chat_model import TracedChatModel
    from app.providers.circuits import CircuitChatModel

    models: list[ChatModel] = []
    for part, name, model in chat_endpoints(settings, closing, max_retries=0, parts=parts):
        traced = TracedChatModel(model, name=name, url=getattr(settings, f"{part}_url"))
        timed = TimedChatModel(
            traced, silence_seconds=settings.model_silence_seconds, answer_seconds=settings.model_answer_seconds
        )
        models.append(CircuitChatModel(timed, CircuitBreaker(part, on_change=circuits.watch(part))))
    return BoundedChatModel(FailoverChatModel(models), limiter) if limiter else FailoverChatModel(models)


def configured_context_writer(
    settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack
) -> ContextWriter | None:
    """By the helper model, else the chat model; None without one. Nobody waits, so a provider is asked again; one that
    is away is left alone all the same, for a site has many pages."""
    parts: tuple[Part, ...] = ("helper_model",) if settings.helper_model_url else ("model", "fallback_model")
    if not _is_any_set(settings, parts):
        return None
    from app.knowledge.context_writer import ContextWriter
    from app.providers.chat.failover_chat_model import FailoverChatModel
    from app.providers.chat.traced_chat_model import TracedChatModel
    from app.providers.circuits import CircuitChatModel

    models, names = [], []
    for part, name, model in chat_endpoints(settings, closing, max_retries=2, parts=parts):
        traced = TracedChatModel(model, name=name, url=getattr(settings, f"{part}_url"))
        models.append(CircuitChatModel(traced, CircuitBreaker(part, on_change=circuits.watch(part))))
        names.append(name)
    return ContextWriter(FailoverChatModel(models), names[0])


def _is_any_set(settings: Settings, parts: Sequence[Part]) -> bool:
    return any(getattr(settings, f"{part}_url") for part in parts)


def chat_endpoints(
    settings: Settings,
    closing: AsyncExitStack,
    *,
    max_retries: int,
    parts: Sequence[Part] = ("model", "fallback_model"),
) -> Iterator[tuple[Part, str, OpenAIChatModel]]:
    """Those of `parts` that are set, in this order: the name of the circuit, that of the model, and the model."""
    from app.providers.chat.openai_chat_model import OpenAIChatModel

    for part in parts:
        url, name, key = (getattr(settings, f"{part}_{field}") for field in ("url", "name", "key"))
        if not url:
            continue
        model = OpenAIChatModel(
            base_url=url,
            model=name,
            api_key=key.get_secret_value() or None,
            silence_seconds=settings.model_silence_seconds,
            max_retries=max_retries,
            temperature=getattr(settings, f"{part}_temperature"),
            reasoning_effort=getattr(settings, f"{part}_reasoning_effort"),
            reasoning_tokens=getattr(settings, f"{part}_reasoning_tokens"),
            has_cache_control=settings.model_cache_control,
        )
        closing.push_async_callback(model.close)
        yield part, name, model


def open_site_discovery(settings: Settings) -> CrawlerSiteDiscovery:
    from app.sources.crawler_site_discovery import CrawlerSiteDiscovery

    return CrawlerSiteDiscovery(
        settings.crawl_allow, user_agent=settings.crawl_user_agent, min_delay_seconds=settings.crawl_delay_seconds
    )


def configured_mailer(settings: Settings) -> Mailer:
    from app.mail.mailer import Mailer

    return Mailer(is_on=bool(settings.smtp_url.get_secret_value()), public_url=settings.public_url)


def configured_mail_transport(settings: Settings) -> MailTransport | None:
    """None where no mail server is set."""
    server = smtp_server(settings.smtp_url.get_secret_value())
    if server is None:
        return None
    from app.providers.mail.aiosmtplib_mail_transport import AiosmtplibMailTransport

    return AiosmtplibMailTransport(
        server.host, server.port, server.user, server.password, is_tls=server.is_tls, is_plain=server.is_plain
    )
