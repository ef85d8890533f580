"""The HTTP layer as one ASGI application."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from app.agents.api.agents import (
    AdminAgentPicture,
    AdminAgents,
    AdminStarterSuggestions,
    WidgetInvitations,
    WidgetPicture,
)
from app.agents.api.model_endpoints import AdminModelEndpoints
from app.agents.api.user_secret import AdminUserSecret
from app.agents.pages.agent_settings import AgentPicturePages, AgentSettingsPages, InvitationPages, TranslationPages
from app.agents.pages.agent_versions import AgentVersionPages
from app.agents.pages.model_endpoints import ModelEndpointPages
from app.agents.pages.signed_users import SignedUserPages
from app.answers.api import AdminPlayground
from app.answers.curated.api import AdminCuratedAnswers, AdminRehearsals
from app.answers.curated.pages import CuratedAnswerPages
from app.answers.pages import PlaygroundPages
from app.conversations.api.conversations import AdminConversations, AdminInbox
from app.conversations.pages.conversation import ConversationPages
from app.conversations.pages.conversations import InboxPages
from app.conversations.pages.spending import SpendingPages
from app.conversations.privacy.api import AdminVisitors, WidgetMe, WidgetTranscripts
from app.conversations.privacy.pages import VisitorPages
from app.core.errors import DocentError
from app.feature import Features
from app.gaps.api.gaps import AdminGapReplays, AdminGaps, AdminGapSuggestions, AdminGapTriage, AdminTurnReview
from app.gaps.api.saved_filters import AdminSavedFilters
from app.gaps.pages.gap import GapAnswerPages, GapPages
from app.gaps.pages.gaps import GapsPages
from app.gaps.pages.saved_filters import SavedFilterPages
from app.gaps.pages.threshold import ThresholdPages
from app.kit.tracing import is_recording
from app.kit.wiring import Wiring
from app.knowledge.api import AdminQuarantine, AdminReindex
from app.knowledge.pages.knowledge import FirstQuestionPages, QuarantinePages, ReindexPages
from app.overview.api import AdminOverview
from app.overview.pages import FindPages, HelpPages, OverviewPages
from app.quality.api.golden_questions import AdminGoldenQuestions, AdminGoldenRuns
from app.quality.api.quality import AdminQuality
from app.quality.pages.golden import GoldenPages
from app.search.api.agent_search import AdminSearch
from app.search.pages import SearchSettingsPages
from app.sources.api.documents import AdminDocuments, AdminPassages
from app.sources.api.source_editing import AdminSourceAccess, AdminSourceEditing, SourceHookApi
from app.sources.api.sources import AdminDiscovery, AdminSchedules, AdminSources
from app.sources.deletions.api import AdminDeletions
from app.sources.deletions.pages import DeletionPages
from app.sources.files.api import AdminFiles
from app.sources.files.pages import SourceFilePages
from app.sources.pages.sources import NewAgentPages, NoPage, SourcePages
from app.sources.pages.upkeep import SourceUpkeepPages
from app.sources.runs.api import AdminPreviews, AdminRuns
from app.turns.api.widget_api import WidgetConversations, WidgetTurns
from app.web.access import Admission
from app.web.client_address import ClientAddresses
from app.web.console.dispatcher import Dispatcher, console_files, console_routes, pages_by_name
from app.web.console.page import ConsolePage, Pages
from app.web.console.rendering import Rendering
from app.web.endpoint import AnyEndpoint, Api, routes_of
from app.web.errors import Refusal, UnexpectedErrors, answer_with_problem
from app.web.health import Health, StreamProbe
from app.web.middleware.public_url import PublicUrl
from app.web.middleware.request_log import RequestLog, RequestMeter, TracedRequests
from app.web.middleware.response_headers import Cors, SecurityHeaders
from app.web.openapi import OpenApi
from app.web.static_files import api_reference_routes
from app.web.widget_script import WidgetScript
from app.webhooks.api import AdminWebhooks
from app.webhooks.pages import WebhookPages
from app.workspaces.api import AdminAudit, AdminOperators, AdminTokens
from app.workspaces.pages.operators import ApiTokenPages, AuditPages, OperatorPages, WorkspacePages
from app.workspaces.pages.own_account import PasskeyPages, PasswordLinkPages, SecondFactorPages
from app.workspaces.pages.sign_in import ProviderSignInPages, SignInPages
from app.workspaces.pages.welcome import WelcomePages

APIS: Sequence[type[Api]] = (
    WidgetConversations,
    WidgetTurns,
    WidgetMe,
    WidgetTranscripts,
    AdminAgents,
    AdminStarterSuggestions,
    AdminSources,
    AdminSourceEditing,
    AdminDiscovery,
    AdminFiles,
    AdminDocuments,
    AdminRuns,
    AdminPassages,
    AdminPreviews,
    SourceHookApi,
    AdminSchedules,
    AdminSourceAccess,
    AdminSearch,
    AdminWebhooks,
    AdminModelEndpoints,
    AdminDeletions,
    AdminQuarantine,
    AdminReindex,
    AdminRehearsals,
    AdminCuratedAnswers,
    AdminPlayground,
    AdminGoldenRuns,
    AdminGoldenQuestions,
    AdminGaps,
    AdminGapTriage,
    AdminGapReplays,
    AdminGapSuggestions,
    AdminConversations,
    AdminInbox,
    AdminSavedFilters,
    AdminUserSecret,
    AdminAgentPicture,
    AdminTurnReview,
    AdminQuality,
    AdminOverview,
    AdminVisitors,
    AdminAudit,
    AdminOperators,
    AdminTokens,
    WidgetScript,
    WidgetInvitations,
    WidgetPicture,
    StreamProbe,
)
PAGES: Sequence[type[Pages]] = (
    WelcomePages,
    SignInPages,
    PasskeyPages,
    PasswordLinkPages,
    ProviderSignInPages,
    SecondFactorPages,
    OverviewPages,
    HelpPages,
    FindPages,
    GapsPages,
    GapPages,
    GapAnswerPages,
    SavedFilterPages,
    AgentSettingsPages,
    AgentPicturePages,
    InvitationPages,
    TranslationPages,
    SearchSettingsPages,
    SignedUserPages,
    SpendingPages,
    FirstQuestionPages,
    AgentVersionPages,
    InboxPages,
    ConversationPages,
    VisitorPages,
    ModelEndpointPages,
    PlaygroundPages,
    CuratedAnswerPages,
    GoldenPages,
    ThresholdPages,
    OperatorPages,
    ApiTokenPages,
    WorkspacePages,
    AuditPages,
    SourcePages,
    SourceUpkeepPages,
    SourceFilePages,
    DeletionPages,
    QuarantinePages,
    ReindexPages,
    WebhookPages,
    NewAgentPages,
)


def create_app(parts: Wiring, *, version: str = "0.0.0", root_path: str = "") -> Starlette:
    """Build the application. This connects to nothing and reads nothing from the environment.

    `root_path` is the prefix under which a proxy serves all of it.
    """
    pages, files = pages_of(parts), console_files()
    folders = {feature.name: feature.templates for feature in parts.get(Features) if feature.templates}
    dispatcher = parts.make(Dispatcher, pages=pages, rendering=Rendering(files, version, folders))
    routes = [
        *routes_of(endpoints_of(parts, version), parts.get(Admission)),
        *console_routes(pages, dispatcher, files),
        *api_reference_routes(),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers=dict.fromkeys((DocentError, HTTPException, Refusal, ValidationError), answer_with_problem),
        middleware=[
            Middleware(PublicUrl, root_path=root_path, addresses=parts.get(ClientAddresses)),
            *([Middleware(TracedRequests)] if is_recording() else []),
            Middleware(RequestLog, meter=parts.get(RequestMeter)),
            Middleware(SecurityHeaders, addresses=parts.get(ClientAddresses)),
            Middleware(Cors),
            Middleware(UnexpectedErrors),
        ],
    )
    app.router.redirect_slashes = False  # a redirect would be built from the Host header
    return app


def endpoints_of(parts: Wiring, version: str) -> list[AnyEndpoint]:
    """Every operation. Tests go through this list, so that none is left out."""
    apis = [*map(parts.get, _apis(parts.get(Features))), parts.make(Health, version=version)]
    return [endpoint for api in (*apis, OpenApi(apis, version)) for endpoint in api.endpoints()]


def pages_of(parts: Wiring) -> dict[str, ConsolePage]:
    """Every page of the console by its name. Tests go through this list, so that none is left out."""
    guests = [page for feature in parts.get(Features) for page in feature.edge().pages]
    return pages_by_name(map(parts.get, (*PAGES, *guests, NoPage)))  # last, as it matches every remaining address


def _apis(features: Features) -> Iterator[type[Api]]:
    """Those of the core, and after each the features' that are documented after it."""
    guests = [guest for feature in features for guest in feature.edge().apis.items()]
    for api in APIS:
        yield api
        yield from (guest for guest, after in guests if after is api)
    yield from (guest for guest, after in guests if after not in APIS)
