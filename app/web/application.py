"""The edge as one ASGI application."""

from collections.abc import Sequence

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from app.domain.errors import DocentError
from app.kit.wiring import Wiring
from app.web.admin_agents import AdminAgents, AdminStarterSuggestions
from app.web.admin_audit import AdminAudit
from app.web.admin_conversations import AdminConversations
from app.web.admin_curated_answers import AdminCuratedAnswers
from app.web.admin_deletions import AdminDeletions
from app.web.admin_discovery import AdminDiscovery
from app.web.admin_documents import AdminDocuments
from app.web.admin_files import AdminFiles
from app.web.admin_gap_grooming import AdminGapGrooming
from app.web.admin_gap_replays import AdminGapReplays
from app.web.admin_gaps import AdminGaps, AdminGapSuggestions
from app.web.admin_golden_questions import AdminGoldenQuestions
from app.web.admin_golden_runs import AdminGoldenRuns
from app.web.admin_leads import AdminLeads
from app.web.admin_live_chats import AdminLiveChats
from app.web.admin_operators import AdminOperators
from app.web.admin_passages import AdminPassages
from app.web.admin_playground import AdminPlayground
from app.web.admin_quality import AdminQuality
from app.web.admin_quarantine import AdminQuarantine
from app.web.admin_rehearsals import AdminRehearsals
from app.web.admin_runs import AdminPreviews, AdminRuns
from app.web.admin_schedules import AdminSchedules
from app.web.admin_search import AdminSearch
from app.web.admin_source_editing import AdminSourceEditing
from app.web.admin_sources import AdminSources
from app.web.admin_tokens import AdminTokens
from app.web.admin_turn_review import AdminTurnReview
from app.web.admin_user_secret import AdminUserSecret
from app.web.admin_visitors import AdminVisitors
from app.web.admin_webhooks import AdminWebhooks
from app.web.admission import Admission
from app.web.api_reference.routes import api_reference_routes
from app.web.client_address import ClientAddresses
from app.web.console.front_door import FrontDoor
from app.web.console.page import ConsolePage, Pages
from app.web.console.pages.agent_settings import AgentSettingsPages
from app.web.console.pages.agent_versions import AgentVersionPages
from app.web.console.pages.api_tokens import ApiTokenPages
from app.web.console.pages.audit import AuditPages
from app.web.console.pages.conversations import ConversationPages
from app.web.console.pages.curated_answers import CuratedAnswerPages
from app.web.console.pages.first_questions import FirstQuestionPages
from app.web.console.pages.gap import GapPages
from app.web.console.pages.gap_answer import GapAnswerPages
from app.web.console.pages.gaps import GapsPages
from app.web.console.pages.golden import GoldenPages
from app.web.console.pages.home import HomePages, NewAgentPages
from app.web.console.pages.leads import LeadPages
from app.web.console.pages.live import LivePages
from app.web.console.pages.operators import OperatorPages, WorkspacePages
from app.web.console.pages.playground import PlaygroundPages
from app.web.console.pages.quality import QualityPages
from app.web.console.pages.quarantine import QuarantinePages
from app.web.console.pages.sign_in import SignInPages
from app.web.console.pages.source_files import SourceFilePages
from app.web.console.pages.sources import SourcePages
from app.web.console.pages.threshold import ThresholdPages
from app.web.console.pages.webhooks import WebhookPages
from app.web.console.rendering import Rendering
from app.web.console.routes import console_files, console_routes, pages_by_name
from app.web.cors import WidgetCors
from app.web.endpoint import AnyEndpoint, Api, routes_of
from app.web.errors import Refusal, answer_with_problem
from app.web.health import Health
from app.web.metrics import RequestMeter
from app.web.openapi import OpenApi
from app.web.request_log import RequestLog
from app.web.response_headers import SecurityHeaders
from app.web.source_hooks import SourceHookApi
from app.web.stream_probe import StreamProbe
from app.web.unexpected_errors import UnexpectedErrors
from app.web.widget_api import WidgetConversations, WidgetTurns
from app.web.widget_me import WidgetLeads, WidgetMe
from app.web.widget_person import WidgetPerson
from app.web.widget_script import WidgetScript

APIS: Sequence[type[Api]] = (
    WidgetConversations,
    WidgetTurns,
    WidgetMe,
    WidgetLeads,
    WidgetPerson,
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
    AdminSearch,
    AdminWebhooks,
    AdminDeletions,
    AdminQuarantine,
    AdminRehearsals,
    AdminCuratedAnswers,
    AdminPlayground,
    AdminGoldenRuns,
    AdminGoldenQuestions,
    AdminGaps,
    AdminGapGrooming,
    AdminGapReplays,
    AdminGapSuggestions,
    AdminConversations,
    AdminLeads,
    AdminLiveChats,
    AdminUserSecret,
    AdminTurnReview,
    AdminQuality,
    AdminVisitors,
    AdminAudit,
    AdminOperators,
    AdminTokens,
    WidgetScript,
    StreamProbe,
)
PAGES: Sequence[type[Pages]] = (
    SignInPages,
    GapsPages,
    GapPages,
    GapAnswerPages,
    AgentSettingsPages,
    FirstQuestionPages,
    AgentVersionPages,
    ConversationPages,
    LeadPages,
    PlaygroundPages,
    CuratedAnswerPages,
    GoldenPages,
    QualityPages,
    ThresholdPages,
    OperatorPages,
    ApiTokenPages,
    WorkspacePages,
    AuditPages,
    SourcePages,
    SourceFilePages,
    QuarantinePages,
    WebhookPages,
    LivePages,
    NewAgentPages,
    HomePages,  # last: one of them takes every address that is left
)


def create_app(parts: Wiring, *, version: str = "0.0.0", more_routes: Sequence[BaseRoute] = ()) -> Starlette:
    """Nothing connects and nothing is read from the environment here.

    `more_routes` come after the API's, such as a demo page's.
    """
    pages, files = pages_of(parts), console_files()
    routes = [
        *routes_of(endpoints_of(parts, version), parts.get(Admission)),
        *console_routes(pages, parts.make(FrontDoor, pages=pages, rendering=Rendering(files)), files),
        *api_reference_routes(),
        *more_routes,
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            DocentError: answer_with_problem,
            HTTPException: answer_with_problem,
            Refusal: answer_with_problem,
            ValidationError: answer_with_problem,
        },
        middleware=[
            Middleware(RequestLog, meter=parts.get(RequestMeter)),
            Middleware(SecurityHeaders, addresses=parts.get(ClientAddresses)),
            Middleware(WidgetCors),
            Middleware(UnexpectedErrors),
        ],
    )
    app.router.redirect_slashes = False  # a redirect would be built from the Host header
    return app


def endpoints_of(parts: Wiring, version: str) -> list[AnyEndpoint]:
    """Every operation that there is: tests go through this list, so that none is left out."""
    apis = [*map(parts.get, APIS), parts.make(Health, version=version)]
    return [endpoint for api in (*apis, OpenApi(apis, version)) for endpoint in api.endpoints()]


def pages_of(parts: Wiring) -> dict[str, ConsolePage]:
    """Every page of the console by its name: tests go through this list, so that none is left out."""
    return pages_by_name(map(parts.get, PAGES))
