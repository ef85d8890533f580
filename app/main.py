"""The composition root: builds a web process or a worker from the settings, on top of what `app.bootstrap` opens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette

from app.actions.action import ActionHosts
from app.actions.action_calls import ActionCalls
from app.agents.model_endpoints import ChatModelNames, EndpointProbe
from app.agents.signed_user import KeySetReader
from app.agents.signed_users import CrawlerKeySetReader
from app.agents.token_budget import WorkspaceTokens
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.playground import Quotes
from app.bootstrap.adapters import (
    configured_action_hosts,
    configured_oidc_provider,
    open_page_listing,
    open_site_discovery,
)
from app.bootstrap.answering import Answering, action_calls, answering_parts, open_answering, open_playground
from app.bootstrap.application import create_app
from app.bootstrap.background_tasks import background_tasks, sending_mail
from app.bootstrap.features import unfilled
from app.bootstrap.infrastructure import (
    NO_DOUBLES,
    Doubles,
    Infrastructure,
    Models,
    following_keywords,
    open_infrastructure,
)
from app.bootstrap.knowledge import chunk_contexts, open_knowledge, open_source_files, page_scope_on
from app.bootstrap.models import WorkspaceModels, configured_context_writer
from app.conversations.history import HistoryCache
from app.conversations.privacy.visitor_data import ConversationTerminator
from app.core.costs import TokenPrices
from app.core.errors import DocentError, Unavailable
from app.core.text.answer_words import has_failure_words
from app.feature import Features
from app.gaps.gap_suggestions import AnswerDrafts
from app.kit.cache import Cache
from app.kit.job_queue import JobQueue
from app.kit.language_guesser import LanguageGuesser
from app.kit.limits import RateLimiter, StreamSlots
from app.kit.password_hasher import Argon2PasswordHasher, PasswordHasher
from app.kit.process_limits import give_back_free_memory
from app.kit.tasks import PeriodicTask
from app.kit.timeouts import EvenTime
from app.kit.wiring import Part, Wiring
from app.knowledge.chunk_contexts import ChunkContexts
from app.providers.chat.model_health import ModelHealth
from app.providers.embedding.embedder import Embedder
from app.providers.http_caller import CrawlerHttpCaller
from app.providers.identity.oidc_provider import OidcProvider
from app.providers.indexes.search_indexes import KeywordIndex
from app.search.agent_search import AgentSearch
from app.settings import Settings
from app.sources.discovery import SiteDiscovery
from app.sources.files.source_files import SourceFiles
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.page_scope import PageScope
from app.sources.runs.site_reader import PageListing
from app.store.system_of_record import SystemOfRecord
from app.web.client_address import ClientAddresses
from app.web.health import Exposition, MetricsToken, Readiness, exposition_of
from app.web.limits_policy import LimitsPolicy, StreamPolicy
from app.web.middleware.connection_limits import ConnectionLimits, ConnectionMeter, OpenConnections
from app.web.widget_script import WidgetFolder, built_widget
from app.webhooks.webhook import CrawlerWebhookSender, WebhookSender
from app.workspaces.operator import ProviderRules
from app.workspaces.operators import SignInMethods
from app.workspaces.records.tokens import TokenRecords

if TYPE_CHECKING:
    from typing_extensions import TypeForm

log = structlog.get_logger(__name__)


VERSION = version("docent")


@dataclass(frozen=True, slots=True)
class Web:
    """The web application and what it is built on."""

    app: Starlette
    base: Infrastructure
    answering: Answering
    parts: Wiring


@asynccontextmanager
async def open_app(settings: Settings, doubles: Doubles = NO_DOUBLES) -> AsyncIterator[Web]:
    """Open the web application, ready to serve, and everything behind it.

    An `Infrastructure` among the doubles is left open.
    """
    async with AsyncExitStack() as opened:
        base = await doubles.or_opened(Infrastructure, opened, lambda: open_infrastructure(settings, doubles))
        await opened.enter_async_context(following_keywords(base))
        actions = await opened.enter_async_context(action_calls(base))
        answering = await opened.enter_async_context(open_answering(base, actions))
        parts = await _parts(base, answering, actions, Doubles({**base.doubles, **doubles}), opened)
        await opened.enter_async_context(_warming(base))
        app = create_app(parts, version=VERSION, root_path=settings.root_path)
        app.state.connections = _connections(base)
        yield Web(app, base, answering, parts)


@asynccontextmanager
async def _warming(base: Infrastructure) -> AsyncIterator[None]:
    """Load what every answer needs, and warm up the rest while the block runs; doubles have nothing to load."""
    if Embedder in base.doubles:
        yield
        return
    await asyncio.to_thread(LanguageGuesser().guess, "ready?")
    warming = asyncio.create_task(warm_up(base.models))
    try:
        yield
    finally:
        warming.cancel()
        await asyncio.gather(warming, return_exceptions=True)


async def warm_up(models: Models) -> None:
    """Load what answers need before the first visitor has to wait for it. The shipped reranker is opened by the first
    question that it reads passages for, within a tenth of a second."""
    await asyncio.to_thread(has_failure_words, "ready?")  # reads the tables of all languages
    try:
        await models.questions.embed(["ready?"])
        if not models.is_reranker_shipped:
            await models.reranker.score("ready?", ["yes"], budget_seconds=30)
    except Unavailable as error:
        log.warning("models.not_warmed", reason=str(error))
    await asyncio.to_thread(give_back_free_memory)


def _connections(base: Infrastructure) -> OpenConnections:
    """The server counts open connections; the application never sees them."""
    settings = base.settings
    limits = ConnectionLimits(
        header_bytes=settings.limit_header_bytes,
        headers=settings.limit_headers,
        header_seconds=settings.limit_header_seconds,
        body_seconds=settings.limit_body_seconds,
        connections=settings.limit_connections,
        per_address=settings.limit_connections_per_address,
    )
    return OpenConnections(limits, _addresses(settings).connection_key, ConnectionMeter(base.metrics))


def _addresses(settings: Settings) -> ClientAddresses:
    return ClientAddresses(settings.trusted_proxies, settings.trusted_proxy_header)


@asynccontextmanager
async def open_worker(settings: Settings, doubles: Doubles = NO_DOUBLES) -> AsyncIterator[None]:
    """Run a worker that reads, indexes, posts to webhooks, sends mail and deletes expired data until the block ends. It
    first repairs what a crash left; pages chunked by an older version are chunked again meanwhile."""
    from app.sources.runs.jobs.dbos_worker import DbosWorker

    async with (
        open_infrastructure(settings, doubles) as base,
        open_knowledge(base) as knowledge,
        action_calls(base) as actions,
        open_answering(base, actions) as answering,
        open_playground(base, actions, has_models=False) as quotes,
    ):
        report = await knowledge.jobs.mend()
        log.info("indexes.reconciled", **asdict(report))

        async def compact_vectors() -> int:
            await base.indexes.vectors.compact()
            return 0  # what else there is has yet to become old

        unnamed_files = partial(base.files.forget_unnamed, base.record, base.clock)
        async with (
            CrawlerWebhookSender(settings.crawl_allow) as webhooks,
            CrawlerHttpCaller(settings.crawl_allow) as caller,
            following_keywords(base),
            background_tasks(base, answering, Quotes(quotes), webhooks, caller),
            sending_mail(base),
            PeriodicTask("cutting anew", knowledge.ingest.cut_anew, pause_seconds=300, supervisor=base.supervisor),
            PeriodicTask("old vectors", compact_vectors, pause_seconds=3600, supervisor=base.supervisor),
            PeriodicTask("files", unnamed_files, pause_seconds=3600, supervisor=base.supervisor),
            DbosWorker(settings.job_queue_url, base.process, knowledge.jobs, base.record, supervisor=base.supervisor),
        ):
            yield


async def _parts(
    base: Infrastructure, answering: Answering, actions: ActionCalls | None, doubles: Doubles, opened: AsyncExitStack
) -> Wiring:
    """The parts of the web application that constructors cannot make themselves. A double replaces what would be
    opened."""
    settings, allow = base.settings, base.settings.crawl_allow
    parts = answering_parts(base, answering)

    async def open_part(kind: "TypeForm[Part]", real: Callable[[], AbstractAsyncContextManager[Part]]) -> None:
        parts.bind(kind).to(await doubles.or_opened(kind, opened, real))

    parts.bind(RateLimiter).to(base.shared.rate_limiter)
    parts.bind(StreamSlots).to(base.shared.stream_slots)
    parts.bind(Cache).to(base.shared.cache)
    parts.bind(CollectorRegistry).to(base.metrics)
    parts.bind(Embedder).to(base.models.embedder)
    parts.bind(KeywordIndex).to(base.indexes.keywords)
    await open_part(JobQueue, lambda: DbosJobQueue(settings.job_queue_url))
    parts.bind(PageScope).to(page_scope_on(base))
    await open_part(SourceFiles, lambda: open_source_files(base))
    await open_part(SiteDiscovery, lambda: open_site_discovery(settings))
    await open_part(PageListing, lambda: open_page_listing(settings))
    await open_part(KeySetReader, lambda: CrawlerKeySetReader(allow))
    await open_part(WebhookSender, lambda: CrawlerWebhookSender(allow))
    await open_part(EndpointProbe, lambda: WorkspaceModels(settings))
    for feature in base.features:
        for part in feature.edge().opens:
            await open_part(part.kind, part.open)
    parts.bind(PasswordHasher).to(Argon2PasswordHasher())
    parts.bind(TokenPrices).to(settings.prices)
    parts.bind(ChatModelNames).to(ChatModelNames(settings.models))
    parts.bind(WorkspaceTokens).to(settings.workspace_tokens)
    parts.bind(ChunkContexts).to(chunk_contexts(base, configured_context_writer(settings, base.circuits, opened)))
    parts.bind(ConversationTerminator).to(answering.turns)
    parts.bind(HistoryCache).to(answering.history)
    parts.bind(AgentSearch).to(answering.search)
    parts.bind(CuratedMatcher).to(answering.curated)
    if actions:
        parts.bind(ActionCalls).to(actions)
    parts.bind(ActionHosts).to(configured_action_hosts(settings))
    parts.bind(AnswerDrafts).to_optional(answering.drafter)
    parts.bind(ModelHealth).to_optional(answering.model_health)
    parts.bind(Readiness).to(partial(_readiness, base.record, answering))
    parts.bind(Exposition).to(exposition_of(base.metrics))
    parts.bind(MetricsToken).to(MetricsToken(settings.metrics_token.get_secret_value()))
    parts.bind(LimitsPolicy).to(_limits(settings))
    parts.bind(EvenTime).to(EvenTime())
    parts.bind(StreamPolicy).to(StreamPolicy(drain_seconds=settings.shutdown_seconds))
    parts.bind(ClientAddresses).to(_addresses(settings))
    parts.bind(WidgetFolder).to(built_widget())
    provider = configured_oidc_provider(settings, base.clock)
    parts.bind(OidcProvider).to_optional(provider)
    parts.bind(ProviderRules).to_optional(settings.provider_rules(settings.workspace) if provider else None)
    parts.bind(SignInMethods).to(SignInMethods(settings.password_sign_in, settings.provider_name))
    parts.bind(Features).to(base.features)
    return Wiring({**parts, **unfilled(base.features), **doubles}, base.features.fills)


def _limits(settings: Settings) -> LimitsPolicy:
    return LimitsPolicy(
        questions_per_visitor=settings.limit_questions_per_visitor,
        questions_per_address=settings.limit_questions_per_address,
        questions_per_agent=settings.limit_questions_per_agent,
        questions_per_visitor_day=settings.limit_questions_per_visitor_day,
        questions_per_network_day=settings.limit_questions_per_network_day,
    )


async def _readiness(record: SystemOfRecord, answering: Answering) -> Mapping[str, bool]:
    has_record = await _record_answers(record)
    return {
        "record": has_record,
        "indexes": not has_record or await answering.indexes.all_filled(),
        "turns": not answering.turns.is_closing,
    }


async def _record_answers(record: SystemOfRecord) -> bool:
    """Whether the system of record responds now."""
    try:
        await record.read(lambda tx: TokenRecords(tx).find_token(b""))
    except DocentError as error:
        log.warning("record.away", reason=str(error))
        return False
    return True
