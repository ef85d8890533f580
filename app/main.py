"""The composition root: settings become a running house, which is a web process or a worker.

The rooms that both stand on are opened in `rooms.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version

import structlog
from starlette.applications import Starlette

from app.adapters.argon2_password_hasher import Argon2PasswordHasher
from app.adapters.crawler_page_listing import CrawlerPageListing
from app.adapters.crawler_webhook_sender import CrawlerWebhookSender
from app.adapters.cronsim_calendar import CronsimCalendar
from app.adapters.dbos_job_queue import DbosJobQueue
from app.adapters.dbos_worker import DbosWorker
from app.adapters.langid_language_guesser import LangidLanguageGuesser
from app.adapters.pooled_file_reader import PooledFileReader
from app.adapters.re2_pattern_matcher import Re2PatternMatcher
from app.answering.trial_answers import TrialAnswers
from app.answering.turns import Turns
from app.answering.warm_up import warm_up
from app.configured_adapters import (
    configured_chat_model,
    configured_helper_model,
    configured_model_places,
    open_site_discovery,
)
from app.operating.agents import Agents
from app.operating.api_tokens import ApiTokens
from app.operating.conversation_review import ConversationReview
from app.operating.curated_answers import CuratedAnswers
from app.operating.deletions import Deletions
from app.operating.discovery import Discovery
from app.operating.document_batches import DocumentBatches
from app.operating.gap_replays import GapReplays
from app.operating.gap_suggestions import GapSuggestions
from app.operating.gaps import Gaps
from app.operating.golden_questions import GoldenQuestions
from app.operating.golden_runs import GoldenRuns
from app.operating.leads import Leads
from app.operating.live_chats import LiveChats
from app.operating.operators import Operators
from app.operating.page_sync import PageSync
from app.operating.quarantine import PageQuarantine
from app.operating.readiness import record_answers
from app.operating.reading_preview import ReadingPreviews
from app.operating.rehearsals import Rehearsals
from app.operating.run_watch import RunWatch
from app.operating.schedules import Schedules
from app.operating.sign_in import SignIn
from app.operating.signed_users import SignedUsers
from app.operating.source_editing import SourceEditing
from app.operating.source_files import SourceFiles
from app.operating.source_hooks import SourceHooks
from app.operating.sources import Sources
from app.operating.token_budgets import TokenBudgets
from app.operating.unread_languages import UnreadLanguages
from app.operating.upkeep import upkeep
from app.operating.visitor_data import VisitorData
from app.operating.webhooks import Webhooks
from app.operating.workspaces import Workspaces
from app.ports.job_queue import JobQueue
from app.ports.page_listing import PageListing
from app.ports.site_discovery import SiteDiscovery
from app.ports.webhook_sender import WebhookSender
from app.rooms import (
    Answering,
    Foundation,
    open_answering,
    open_foundation,
    open_knowledge,
    page_scope_on,
    source_files_on,
    trial_searches_on,
    trials_on,
)
from app.settings import Settings
from app.store.records import import_families
from app.web.application import create_app
from app.web.client_address import ClientAddresses
from app.web.connection_limits import ConnectionLimits, ConnectionMeter, OpenConnections
from app.web.limits_policy import LimitsPolicy, StreamPolicy
from app.web.services import WebServices

log = structlog.get_logger(__name__)


VERSION = version("docent")


@dataclass(frozen=True, slots=True)
class Web:
    """The web application and the rooms that it stands on."""

    app: Starlette
    base: Foundation
    answering: Answering


@asynccontextmanager
async def open_web(settings: Settings) -> AsyncIterator[tuple[Starlette, Turns]]:
    """The web application, ready to serve, and its turns, which the server drains before it ends."""
    async with open_web_rooms(settings) as web:
        yield web.app, web.answering.turns


@asynccontextmanager
async def open_web_rooms(settings: Settings) -> AsyncIterator[Web]:
    """The same with what is behind the application, for whoever asks it otherwise than by HTTP."""
    import_families()
    async with (
        open_foundation(settings) as base,
        open_answering(base) as answering,
        PooledFileReader() as files,
        open_site_discovery(settings) as discovery,
        CrawlerPageListing(
            settings.crawl_allow,
            user_agent=settings.crawl_user_agent,
            min_delay_seconds=settings.crawl_delay_seconds,
        ) as listing,
        CrawlerWebhookSender(settings.crawl_allow) as webhooks,
    ):
        jobs = DbosJobQueue(settings.job_queue_url)
        warming = asyncio.create_task(warm_up(base.questions, base.reranker, LangidLanguageGuesser()))
        try:
            services = _web_services(base, answering, jobs, source_files_on(base, files), discovery, listing, webhooks)
            streams = StreamPolicy(drain_seconds=settings.shutdown_seconds)
            limits = LimitsPolicy(
                questions_per_visitor=settings.limit_questions_per_visitor,
                questions_per_address=settings.limit_questions_per_address,
                questions_per_agent=settings.limit_questions_per_agent,
            )
            app = create_app(services, limits=limits, streams=streams, addresses=_addresses(settings), version=VERSION)
            app.state.connections = _connections(base)
            yield Web(app, base, answering)
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            await jobs.aclose()


def _connections(base: Foundation) -> OpenConnections:
    """What the server counts; the application never sees a connection."""
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
async def open_worker(settings: Settings) -> AsyncIterator[None]:
    """A worker that reads, indexes, posts to webhooks and forgets what is old, until the block is left. What a crash
    left is mended first."""
    import_families()
    async with open_foundation(settings) as base, open_knowledge(base) as knowledge, AsyncExitStack() as closing:
        await knowledge.deletions.all_agents()
        report = await knowledge.reconcile.all_agents()
        log.info("reconciled", **asdict(report))
        model = configured_chat_model(settings, base.circuits, closing, configured_model_places(settings))
        helper = configured_helper_model(settings, base.circuits, closing)
        async with (
            CrawlerWebhookSender(settings.crawl_allow) as webhooks,
            upkeep(
                base.record,
                webhooks,
                base.questions,
                LangidLanguageGuesser(),
                trials_on(base, model, helper),
                trial_searches_on(base, model, helper),
                base.clock,
                base.supervisor,
            ),
            DbosWorker(settings.job_queue_url, base.process, knowledge.jobs, base.record, supervisor=base.supervisor),
        ):
            yield


def _web_services(
    base: Foundation,
    answering: Answering,
    jobs: JobQueue,
    source_files: SourceFiles,
    discovery: SiteDiscovery,
    listing: PageListing,
    webhooks: WebhookSender,
) -> WebServices:
    async def readiness() -> Mapping[str, bool]:
        has_record = await record_answers(base.record)
        return {
            "record": has_record,
            "indexes": not has_record or await answering.indexes.all_filled(),
            "turns": not answering.turns.is_closing,
        }

    passwords, scope = Argon2PasswordHasher(), page_scope_on(base)
    return WebServices(
        records=base.record,
        clock=base.clock,
        rate_limiter=base.rate_limiter,
        stream_places=base.stream_places,
        conversations=answering.conversations,
        turns=answering.turns,
        search=answering.search,
        agents=Agents(base.record, jobs),
        token_budgets=TokenBudgets(base.record, base.clock, base.settings.prices),
        sources=Sources(base.record, jobs, scope),
        unread_languages=UnreadLanguages(base.record, base.embedder),
        source_editing=SourceEditing(base.record),
        source_files=source_files,
        discovery=Discovery(base.record, discovery),
        run_watch=RunWatch(base.record, base.clock),
        page_sync=PageSync(base.record, jobs, scope),
        document_batches=DocumentBatches(base.record, jobs),
        reading_previews=ReadingPreviews(base.record, listing),
        source_hooks=SourceHooks(base.record, base.clock),
        webhooks=Webhooks(base.record, webhooks, base.clock),
        schedules=Schedules(base.record, CronsimCalendar(), base.clock),
        deletions=Deletions(base.record, jobs),
        page_quarantine=PageQuarantine(base.record, jobs),
        curated_answers=CuratedAnswers(base.record, Re2PatternMatcher()),
        rehearsals=Rehearsals(base.record, answering.curated, Re2PatternMatcher(), base.clock),
        gaps=Gaps(base.record),
        gap_replays=GapReplays(base.record, TrialAnswers(answering.playground)),
        gap_suggestions=GapSuggestions(base.record, answering.drafter),
        playground=answering.playground,
        golden_questions=GoldenQuestions(base.record, Re2PatternMatcher()),
        golden_runs=GoldenRuns(base.record, answering.trials, base.clock),
        conversation_review=ConversationReview(base.record),
        visitor_data=VisitorData(base.record, answering.conversation_end),
        leads=Leads(base.record, base.clock),
        live_chats=LiveChats(base.record, base.clock, answering.history),
        signed_users=SignedUsers(base.record, base.clock),
        api_tokens=ApiTokens(base.record, base.clock),
        operators=Operators(base.record, passwords, base.clock),
        workspaces=Workspaces(base.record, passwords, base.clock),
        sign_in=SignIn(base.record, passwords, base.clock),
        readiness=readiness,
        model_health=answering.model_health,
        metrics=base.metrics,
    )
