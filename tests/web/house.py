"""The edge on a real SQLite record, with doubles behind the ports that reach further."""

import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette

from app.actions.action import ActionHosts
from app.agents.agent import Agent, AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES, ChatModelNames, EndpointProbe
from app.agents.signed_user import KeySetReader
from app.agents.token_budget import UNLIMITED, WorkspaceTokens
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.hand_over_summaries import HandOverSummaries
from app.answers.playground import Playground
from app.bootstrap.application import endpoints_of
from app.bootstrap.features import FEATURES
from app.bootstrap.infrastructure import Doubles
from app.conversations.conversations import Conversations
from app.conversations.history import History, HistoryCache
from app.conversations.privacy.visitor_data import ConversationTerminator
from app.core.actor import READ, SCOPES, WRITE, Actor
from app.core.costs import TokenPrices
from app.core.turn import TurnRequest, VisitorSession
from app.feature import Features
from app.gaps.gap_replays import GapNews, Trials
from app.gaps.gap_suggestions import AnswerDrafts
from app.kit.cache import Cache, MemoryCache
from app.kit.clock import Clock
from app.kit.job_queue import JobQueue
from app.kit.limits import MemoryStreamSlots, RateLimiter, StreamSlots
from app.kit.password_hasher import PasswordHasher
from app.kit.timeouts import EvenTime
from app.kit.wiring import Wiring
from app.knowledge.chunk_contexts import ChunkContexts
from app.mail.mailer import Mailer
from app.main import VERSION, open_app
from app.providers.chat.model_health import ModelHealth
from app.providers.code.code_host import CodeHost
from app.providers.embedding.embedder import Embedder
from app.providers.http_caller import HttpCaller, call_refusal
from app.providers.identity.oidc_provider import OidcProvider
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.providers.reranking.reranker import Reranker
from app.providers.token_counter import TokenizersTokenCounter
from app.quality.golden_run_execution import SearchUnderTest
from app.search.agent_search import AgentSearch
from app.sources.discovery import SiteDiscovery
from app.sources.files.file_bodies import FileBodies
from app.sources.files.source_files import SourceFiles
from app.sources.runs.page_scope import PageScope
from app.sources.runs.site_reader import PageListing
from app.store.system_of_record import SystemOfRecord
from app.turns.api.visitor_turns import VisitorTurns
from app.web.client_address import FORWARDED_FOR, ClientAddresses
from app.web.endpoint import AnyEndpoint
from app.web.health import Exposition, MetricsToken, Readiness, exposition_of
from app.web.limits_policy import LimitsPolicy, StreamPolicy
from app.web.widget_script import WidgetFolder
from app.webhooks.webhook import CrawlerWebhookSender, WebhookSender
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.operator import ProviderRules
from app.workspaces.operators import SignInMethods
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.answering_house import TOKENS
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.ended_conversations import EndedConversations
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.forgetful_cache import ForgetfulCache
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.listed_pages import ListedPages
from tests.doubles.memory_code_host import MemoryCodeHost
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.metrics_reader import METRICS_TOKEN
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.plain_file_reader import PlainFileReader
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.scripted_drafts import ScriptedDrafts
from tests.doubles.scripted_key_sets import ScriptedKeySets
from tests.doubles.scripted_probe import ScriptedProbe
from tests.doubles.scripted_site_discovery import ScriptedSiteDiscovery
from tests.doubles.scripted_turns import ScriptedTurns
from tests.doubles.settings_in import settings_in
from tests.doubles.shop_api import SHOP_HOST, ShopApi
from tests.doubles.temporary_record import temporary_record
from tests.doubles.workspaces import another_workspace

SITE = "https://www.example.com"
PAGE = f"{SITE}/pricing"
MAX_FILE_BYTES = 100_000
UNKNOWN = UUID("99999999-9999-4999-8999-999999999999")
Json = dict[str, Any]
OpenRecord = Callable[[Path, Clock], AbstractAsyncContextManager[SystemOfRecord]]


@dataclass
class House:
    """`write`, `read` and `foreign` are API tokens: of the workspace with `agent`, and of another one."""

    record: SystemOfRecord
    clock: FixedClock
    turns: ScriptedTurns
    jobs: RecordingJobQueue
    limiter: CountingRateLimiter
    drafts: ScriptedDrafts
    keywords: MemoryKeywordIndex
    parts: Wiring
    app: Starlette
    http: httpx2.AsyncClient
    actor: Actor
    stranger: Actor
    agent: Agent
    write: str
    read: str
    foreign: str

    async def api(self, method: str, path: str, body: Json | None = None, token: str | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token or self.write}"}
        return await self.http.request(method, path, json=body, headers=headers)

    async def init(self, origin: str = SITE, **more: object) -> Json:
        body = {"agent_id": str(self.agent.id), "page_url": PAGE, **more}
        response = await self.http.post("/v1/widget/init", json=body, headers={"Origin": origin})
        assert response.status_code == 200, response.text
        return cast(Json, response.json())

    async def visitor(self) -> "VisitorHttp":
        return VisitorHttp(self, await self.init())


@dataclass
class VisitorHttp:
    """A browser with a visitor token."""

    house: House
    session: Json

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.session['token']}", "Origin": SITE}

    async def call(
        self, method: str, path: str, body: Json | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        return await self.house.http.request(
            method, f"/v1/widget{path}", json=body, headers={**self.headers, **(headers or {})}
        )

    async def ask(self, turn_id: UUID | None = None, message: str = "What does it cost?") -> httpx2.Response:
        return await self.call("POST", "/messages/stream", a_question(turn_id, message))


def a_question(turn_id: UUID | None = None, message: str = "What does it cost?") -> Json:
    return {"turn_id": str(turn_id or uuid4()), "message": message, "page_url": PAGE}


@dataclass(frozen=True)
class Tenants:
    """See House."""

    actor: Actor
    stranger: Actor
    agent: Agent
    write: str
    read: str
    foreign: str


@dataclass(frozen=True)
class Belongings:
    """What a house holds, to open another one that holds the same."""

    database: bytes
    tenants: Tenants
    asked: Sequence[tuple[VisitorSession, TurnRequest]] = ()

    @classmethod
    def left_in(cls, folder: Path, house: House) -> "Belongings":
        """Of a house that was open in `folder` and is closed."""
        of_house = {each.name: getattr(house, each.name) for each in fields(Tenants)}
        return cls((folder / "docent.sqlite").read_bytes(), Tenants(**of_house), tuple(house.turns.asked))


_new_house: Belongings | None = None


async def _belongings_of_a_new_house() -> Belongings:
    """Two workspaces, of which one has an agent; made once in a test process."""
    global _new_house
    if _new_house is None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            async with temporary_record(folder, FixedClock()) as record:
                tenants = await _settle(folder, record)
            _new_house = Belongings((folder / "docent.sqlite").read_bytes(), tenants)
    return _new_house


async def _settle(folder: Path, record: SystemOfRecord) -> Tenants:
    workspace = await record.write(lambda tx: TokenRecords(tx).default_workspace())
    other = await another_workspace(folder)
    agents, tokens = Agents(record, RecordingJobQueue(), NO_NAMES), ApiTokens(record, FixedClock())
    actor = Actor(workspace, "tests", frozenset((READ, WRITE)))
    agent = await agents.create(actor, AgentConfig(name="Docs", allowed_origins=(SITE,)))
    await agents.publish(actor, agent.id)
    stranger = Actor(other, "stranger", frozenset((READ, WRITE)))
    return Tenants(
        actor=actor,
        stranger=stranger,
        agent=await agents.agent(actor, agent.id),
        write=(await tokens.issue(actor, "write", SCOPES)).token,
        read=(await tokens.issue(actor, "read", (READ,))).token,
        foreign=(await tokens.issue(stranger, "foreign", SCOPES)).token,
    )


@asynccontextmanager
async def open_house(
    folder: Path,
    *,
    limits: LimitsPolicy | None = None,
    streams: StreamPolicy | None = None,
    trusted_proxies: tuple[str, ...] = (),
    proxy_header: str = FORWARDED_FOR,
    widget_files: Path | None = None,
    mailer: Mailer | None = None,
    readiness: Readiness | None = None,
    belongings: Belongings | None = None,
    opened: OpenRecord = temporary_record,
    clock: FixedClock | None = None,
    others: Mapping[Any, object] | None = None,
) -> AsyncIterator[House]:
    """In an empty folder. `belongings` are those of another house, or those of a new one. `opened` opens what lies in
    the folder's docent.sqlite, there or as a copy elsewhere. `others` take the place of parts, as doubles do."""
    belongings = belongings or await _belongings_of_a_new_house()
    (folder / "docent.sqlite").write_bytes(belongings.database)
    clock, settings = clock or FixedClock(), settings_in(folder, action_hosts=(SHOP_HOST,))
    async with opened(folder, clock) as record, AsyncExitStack() as running:
        turns, jobs, limiter = ScriptedTurns(), RecordingJobQueue(), CountingRateLimiter()
        for session, request in belongings.asked:
            await turns.ask(session, request)
        drafts, keywords = ScriptedDrafts(), MemoryKeywordIndex()
        given = Doubles(
            {
                **doubles(record, clock, turns, jobs, limiter, drafts, keywords),
                Readiness: readiness or _everything_answers,
                LimitsPolicy: limits or unlimited(),
                StreamPolicy: streams or StreamPolicy(),
                ClientAddresses: ClientAddresses(trusted_proxies, proxy_header),
                WidgetFolder: widget_files or folder,
                Mailer: mailer or Mailer(is_on=False, public_url=""),
                **(others or {}),
            }
        )
        web = await running.enter_async_context(open_app(settings, given))
        transport = httpx2.ASGITransport(app=web.app)
        async with httpx2.AsyncClient(transport=transport, base_url="https://api.test", trust_env=False) as http:
            yield House(
                record=record,
                clock=clock,
                turns=turns,
                jobs=jobs,
                limiter=limiter,
                drafts=drafts,
                keywords=keywords,
                parts=web.parts,
                app=web.app,
                http=http,
                **vars(belongings.tenants),
            )


def doubles(
    record: SystemOfRecord,
    clock: FixedClock,
    turns: ScriptedTurns,
    jobs: RecordingJobQueue,
    limiter: CountingRateLimiter,
    drafts: ScriptedDrafts,
    keywords: MemoryKeywordIndex,
) -> dict[Any, object]:
    """What the application's other parts are made of, by the types that they name."""
    metrics = CollectorRegistry()
    return {
        SystemOfRecord: record,
        Clock: clock,
        RateLimiter: limiter,
        StreamSlots: MemoryStreamSlots(),
        Cache: MemoryCache(),
        CollectorRegistry: metrics,
        Exposition: exposition_of(metrics),
        MetricsToken: MetricsToken(METRICS_TOKEN),
        Embedder: HashingEmbedder(reads=frozenset({"en"})),
        TokenizersTokenCounter: TOKENS,
        VectorIndex: MemoryVectorIndex(),
        Reranker: OverlapReranker(),
        JobQueue: jobs,
        PageScope: PageScope(),
        SourceFiles: SourceFiles(record, PlainFileReader(), FileBodies(), MAX_FILE_BYTES),
        SiteDiscovery: ScriptedSiteDiscovery(),
        PageListing: ListedPages(),
        KeySetReader: ScriptedKeySets(),
        WebhookSender: CrawlerWebhookSender(),
        EndpointProbe: ScriptedProbe(),
        CodeHost: MemoryCodeHost(),
        HttpCaller: ShopApi(),
        ActionHosts: ActionHosts((SHOP_HOST,), partial(call_refusal, ())),
        Mailer: Mailer(is_on=False, public_url=""),
        PasswordHasher: PlainPasswordHasher(),
        KeywordIndex: keywords,
        VisitorTurns: turns,
        Conversations: Conversations(record, History(record, ForgetfulCache())),
        ConversationTerminator: EndedConversations(),
        HistoryCache: RecordingHistory(),
        AnswerDrafts: drafts,
        ModelHealth: ModelHealth(clock),
        EvenTime: EvenTime(seconds=0),
        StreamPolicy: StreamPolicy(),
        LimitsPolicy: unlimited(),
        ClientAddresses: ClientAddresses(),
        Readiness: _everything_answers,
        WidgetFolder: Path("dist"),
    }


async def _everything_answers() -> Mapping[str, bool]:
    return {"record": True, "indexes": True}


def unlimited() -> LimitsPolicy:
    many = 10**6
    return LimitsPolicy(*(many for _ in fields(LimitsPolicy)))


def uninhabited() -> Wiring:
    """A house that nobody lives in: for going through the routes."""
    nowhere = cast(SystemOfRecord, object())
    turns, jobs, limiter, drafts = ScriptedTurns(), RecordingJobQueue(), CountingRateLimiter(), ScriptedDrafts()
    furniture = doubles(nowhere, FixedClock(), turns, jobs, limiter, drafts, MemoryKeywordIndex())
    without = (AgentSearch, Playground, HandOverSummaries, CuratedMatcher, Trials, SearchUnderTest, ChunkContexts)
    nobody = dict.fromkeys(without, object())
    chosen = {
        SignInMethods: SignInMethods(),
        OidcProvider: None,
        ProviderRules: None,
        GapNews: None,
        Features: FEATURES,
    }
    limits = {TokenPrices: TokenPrices(), WorkspaceTokens: UNLIMITED, ChatModelNames: NO_NAMES}
    return Wiring({**furniture, **nobody, **chosen, **limits})


def every_endpoint() -> list[AnyEndpoint]:
    """The operations as the product has them."""
    return endpoints_of(uninhabited(), VERSION)
