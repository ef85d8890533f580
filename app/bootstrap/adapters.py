"""Creates the adapters that the settings choose, and imports only these. `closing` receives what must be closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from app.core.errors import Misconfigured
from app.kit.cache import MemoryCache
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits import MemoryRateLimiter, MemoryStreamSlots
from app.kit.token_client import token_client
from app.mail.mail import smtp_server
from app.settings import Settings
from app.store.secret_keys import SecretKeyFile, SecretKeys

if TYPE_CHECKING:
    from app.actions.action import ActionHosts
    from app.kit.cache import Cache
    from app.kit.clock import Clock
    from app.kit.limits import RateLimiter, StreamSlots
    from app.kit.meters import CircuitMeter
    from app.kit.shared_redis import RedisWithBreaker
    from app.knowledge.chunk_limits import ChunkLimits
    from app.mail.mailer import Mailer
    from app.providers.embedding.embedder import Embedder
    from app.providers.identity.oidc_provider import OidcProvider
    from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex, VectorSearch
    from app.providers.mail_transport import MailTransport
    from app.providers.token_counter import TokenizersTokenCounter
    from app.sources.awaited_websites import CrawlerPageListing, CrawlerSiteDiscovery
    from app.sources.files.file_bodies import FileBodies
    from app.store.system_of_record import SystemOfRecord
    from app.turns.remote.remote_turns import SharedTurns

_VECTORS_SECONDS: Final = 2.0
_REDIS_COOL_DOWN_SECONDS: Final = 5.0  # each attempt delays one visitor


def configured_chunk_limits(settings: Settings, max_tokens: int) -> ChunkLimits:
    """Limits of chunks for an embedder that reads `max_tokens`. Raises Misconfigured if it would truncate chunks."""
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


def configured_vector_index(
    settings: Settings, embedder: Embedder, record: SystemOfRecord, closing: AsyncExitStack
) -> VectorIndex:
    from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
    from app.store.engine import MachineLock

    vectors = LanceDBVectorIndex(
        settings.vector_uri,
        model_id=embedder.model_id,
        dimensions=embedder.dimensions,
        storage_options=settings.vector_options,
        turn=MachineLock(record.engine, "vectors"),
        kept_bytes=settings.vectors_memory_mib * 1024**2,
    )
    closing.push_async_callback(vectors.close)
    return vectors


def configured_vector_search(settings: Settings, vectors: VectorIndex, circuits: CircuitMeter) -> VectorSearch:
    """The vector search for callers who wait for an answer. An index in a local folder needs no circuit breaker."""
    if "://" not in settings.vector_uri:
        return vectors
    from app.providers.circuits import CircuitVectorSearch

    circuit = CircuitBreaker("vectors", on_change=circuits.watch("vectors"))
    return CircuitVectorSearch(vectors, circuit, seconds=_VECTORS_SECONDS)


def configured_keyword_index(
    settings: Settings, tokens: TokenizersTokenCounter, record: SystemOfRecord, closing: AsyncExitStack
) -> KeywordIndex:
    """The keyword index. One that belongs to this machine alone is kept up to date from the record."""
    from app.knowledge.followed_keyword_index import FollowedKeywordIndex
    from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex

    keywords = TantivyKeywordIndex(settings.keyword_dir, is_word=tokens.is_word)
    closing.push_async_callback(keywords.close)
    if settings.keywords != "own":
        return keywords
    followed = FollowedKeywordIndex(keywords, record)
    closing.push_async_callback(followed.close)
    return followed


def configured_oidc_provider(settings: Settings, clock: Clock) -> OidcProvider | None:
    """The identity provider; None if operators sign in with passwords only."""
    from app.providers.identity.oidc_provider import OidcProvider

    return OidcProvider(settings.oidc_client, clock) if settings.oidc_issuer else None


def configured_redis(settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack) -> RedisWithBreaker | None:
    """The shared Redis; None if none is set."""
    url = settings.redis_url.get_secret_value()
    if not url:
        return None
    from app.kit.shared_redis import RedisWithBreaker, redis_client

    circuit = CircuitBreaker("redis", cool_down_seconds=_REDIS_COOL_DOWN_SECONDS, on_change=circuits.watch("redis"))
    redis = RedisWithBreaker(redis_client(url), circuit)
    closing.push_async_callback(redis.close)
    return redis


def configured_cache(redis: RedisWithBreaker | None) -> Cache:
    if not redis:
        return MemoryCache()
    from app.kit.shared_redis import RedisCache

    return RedisCache(redis)


def configured_rate_limiter(redis: RedisWithBreaker | None) -> RateLimiter:
    """The rate limiter on Redis, with one in this process as a fallback."""
    own = MemoryRateLimiter()
    if not redis:
        return own
    from app.kit.limits import FallbackRateLimiter
    from app.kit.shared_redis import LimitsRateLimiter

    return FallbackRateLimiter(LimitsRateLimiter(redis), own)


def configured_stream_slots(redis: RedisWithBreaker | None) -> StreamSlots:
    """The stream slots on Redis, with those of this process as a fallback."""
    own = MemoryStreamSlots()
    if not redis:
        return own
    from app.kit.limits import FallbackStreamSlots
    from app.kit.shared_redis import RedisStreamSlots

    return FallbackStreamSlots(RedisStreamSlots(redis), own)


def configured_shared_turns(settings: Settings, circuits: CircuitMeter, closing: AsyncExitStack) -> SharedTurns:
    """The turns that all web processes share through Redis, or those of this process alone."""
    from app.turns.remote.remote_turns import SharedTurns

    url = settings.redis_url.get_secret_value()
    if not url:
        from app.turns.remote.turn_log import MemoryTurnOrders, UnsharedTurnLog

        return SharedTurns(UnsharedTurnLog(), MemoryTurnOrders())
    from app.kit.shared_redis import BlockingRedis
    from app.turns.remote.redis_turn_log import RedisTurnLog, RedisTurnOrders

    circuit = CircuitBreaker(
        "turn_log", cool_down_seconds=_REDIS_COOL_DOWN_SECONDS, on_change=circuits.watch("turn_log")
    )
    redis = BlockingRedis(url, circuit)
    closing.push_async_callback(redis.close)
    return SharedTurns(RedisTurnLog(redis), RedisTurnOrders(redis))


def configured_key_file(settings: Settings) -> SecretKeyFile | None:
    """The file with the secret keys; None if the environment has them."""
    return None if settings.secret_keys else SecretKeyFile(settings.secret_key_file)


def configured_secret_keys(settings: Settings) -> SecretKeys:
    file = configured_key_file(settings)
    return SecretKeys(file.read if file else lambda: settings.secret_keys)


def configured_file_bodies(settings: Settings) -> FileBodies:
    """The store of uploaded files. Raises Misconfigured for an invalid object store."""
    from app.sources.files.file_bodies import FileBodies

    if not settings.files_uri:
        return FileBodies()
    from app.providers.object_store_files import ObjectStoreFiles

    return FileBodies(ObjectStoreFiles.at(settings.files_uri, settings.file_options))


def open_site_discovery(settings: Settings) -> CrawlerSiteDiscovery:
    from app.sources.awaited_websites import CrawlerSiteDiscovery

    return CrawlerSiteDiscovery(
        settings.crawl_allow, user_agent=settings.crawl_user_agent, min_delay_seconds=settings.crawl_delay_seconds
    )


def open_page_listing(settings: Settings) -> CrawlerPageListing:
    from app.sources.awaited_websites import CrawlerPageListing

    return CrawlerPageListing(
        settings.crawl_allow, user_agent=settings.crawl_user_agent, min_delay_seconds=settings.crawl_delay_seconds
    )


def configured_action_hosts(settings: Settings) -> ActionHosts:
    from app.actions.action import ActionHosts
    from app.providers.http_caller import call_refusal

    return ActionHosts(settings.action_hosts, partial(call_refusal, settings.crawl_allow))


def configured_mailer(settings: Settings) -> Mailer:
    from app.mail.mailer import Mailer

    return Mailer(is_on=bool(settings.smtp_url.get_secret_value()), public_url=settings.public_url)


@asynccontextmanager
async def configured_mail_transport(settings: Settings, clock: Clock) -> AsyncIterator[MailTransport | None]:
    """None if no mail server is set."""
    server = smtp_server(settings.smtp_url.get_secret_value())
    if server is None:
        yield None
        return
    from app.providers.access_tokens import AccessTokens
    from app.providers.http_caller import CrawlerHttpCaller
    from app.providers.mail_transport import AiosmtplibMailTransport

    client = token_client(settings.smtp_oauth.get_secret_value())
    how = {"is_tls": server.is_tls, "is_plain": server.is_plain}
    async with AsyncExitStack() as closing:
        token = None
        if client:
            caller = await closing.enter_async_context(CrawlerHttpCaller(settings.crawl_allow))
            token = partial(AccessTokens(caller, clock).text, client)
        yield AiosmtplibMailTransport(server.host, server.port, server.user, server.password, **how, token=token)
