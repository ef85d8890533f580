"""The edge as one ASGI application."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from starlette.types import Lifespan

from app.domain.errors import DocentError
from app.operating.audit_log import AuditLog
from app.operating.gap_grooming import GapGrooming
from app.operating.passages import Passages
from app.operating.publishing import Publishing
from app.operating.quality_review import QualityReview
from app.operating.starter_suggestions import StarterSuggestions
from app.operating.threshold_curves import ThresholdCurves
from app.operating.turn_review import TurnReview
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
from app.web.admin_gap_suggestions import AdminGapSuggestions
from app.web.admin_gaps import AdminGaps
from app.web.admin_golden_questions import AdminGoldenQuestions
from app.web.admin_golden_runs import AdminGoldenRuns
from app.web.admin_leads import AdminLeads
from app.web.admin_live_chats import AdminLiveChats
from app.web.admin_operators import AdminOperators
from app.web.admin_passages import AdminPassages
from app.web.admin_playground import AdminPlayground
from app.web.admin_previews import AdminPreviews
from app.web.admin_quality import AdminQuality
from app.web.admin_quarantine import AdminQuarantine
from app.web.admin_rehearsals import AdminRehearsals
from app.web.admin_runs import AdminRuns
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
from app.web.console.registry import console_routes
from app.web.cors import WidgetCors
from app.web.endpoint import AnyEndpoint, Api, routes_of
from app.web.errors import Refusal, answer_with_problem
from app.web.health import Health
from app.web.limits_policy import LimitsPolicy, StreamPolicy, VisitorLimits
from app.web.metrics import RequestMeter, StreamMeter
from app.web.openapi import OpenApi
from app.web.request_log import RequestLog
from app.web.response_headers import SecurityHeaders
from app.web.services import WebServices
from app.web.source_hooks import SourceHookApi
from app.web.stream_probe import StreamProbe
from app.web.unexpected_errors import UnexpectedErrors
from app.web.visitor_tokens import VisitorTokens
from app.web.widget_api import WidgetApi
from app.web.widget_me import WidgetLeads, WidgetMe
from app.web.widget_person import WidgetPerson
from app.web.widget_script import WidgetScript, built_widget


def create_app(
    services: WebServices,
    *,
    lifespan: Lifespan[Starlette] | None = None,
    limits: LimitsPolicy | None = None,
    streams: StreamPolicy | None = None,
    addresses: ClientAddresses | None = None,
    version: str = "0.0.0",
    widget_files: Path | None = None,
    more_routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """Nothing connects and nothing is read from the environment here.

    `addresses` knows which proxies are believed; by default none. `more_routes` come after the API's, such as a demo
    page's.
    """
    limits, addresses = limits or LimitsPolicy(), addresses or ClientAddresses()
    widget = widget_files or built_widget()
    tokens = VisitorTokens(services.records, services.clock)
    endpoints = endpoints_of(
        services,
        tokens,
        limits=limits,
        streams=streams or StreamPolicy(),
        addresses=addresses,
        version=version,
        widget_files=widget,
    )
    admission = Admission(
        services.api_tokens,
        services.sign_in,
        tokens,
        services.records,
        services.rate_limiter,
        limits,
        addresses,
    )
    app = Starlette(
        routes=[
            *routes_of(endpoints, admission),
            *console_routes(services, admission, widget),
            *api_reference_routes(),
            *more_routes,
        ],
        lifespan=lifespan,
        exception_handlers={
            DocentError: answer_with_problem,
            HTTPException: answer_with_problem,
            Refusal: answer_with_problem,
            ValidationError: answer_with_problem,
        },
        middleware=[
            Middleware(RequestLog, meter=RequestMeter(services.metrics)),
            Middleware(SecurityHeaders, addresses=addresses),
            Middleware(WidgetCors),
            Middleware(UnexpectedErrors),
        ],
    )
    app.router.redirect_slashes = False  # a redirect would be built from the Host header
    return app


def endpoints_of(
    services: WebServices,
    tokens: VisitorTokens,
    *,
    limits: LimitsPolicy,
    streams: StreamPolicy,
    addresses: ClientAddresses,
    version: str,
    widget_files: Path,
) -> list[AnyEndpoint]:
    """Every endpoint that there is: tests go through this list, so that none is left out."""
    counting = VisitorLimits(services.rate_limiter, addresses)
    widget = WidgetApi(
        services,
        limits=limits,
        streams=streams,
        addresses=addresses,
        meter=StreamMeter(services.metrics),
        tokens=tokens,
    )
    apis: list[Api] = [
        widget,
        WidgetMe(services.visitor_data),
        WidgetLeads(services.leads, limits, counting),
        WidgetPerson(services.live_chats, limits, counting),
        AdminAgents(services.agents, Publishing(services.agents, services.golden_runs), services.token_budgets),
        AdminStarterSuggestions(StarterSuggestions(services.records)),
        AdminSources(services.sources, services.page_sync, services.schedules),
        AdminSourceEditing(services.source_editing),
        AdminDiscovery(services.discovery),
        AdminFiles(services.source_files),
        AdminDocuments(services.document_batches),
        AdminRuns(services.sources, services.run_watch, streams),
        AdminPassages(Passages(services.records)),
        AdminPreviews(services.reading_previews),
        SourceHookApi(
            services.source_hooks,
            services.sources,
            services.page_sync,
        ),
        AdminSchedules(services.schedules),
        AdminSearch(services.search),
        AdminWebhooks(services.webhooks),
        AdminDeletions(services.deletions),
        AdminQuarantine(services.page_quarantine),
        AdminRehearsals(services.rehearsals),
        AdminCuratedAnswers(services.curated_answers),
        AdminPlayground(services.playground, streams),
        AdminGoldenRuns(services.golden_runs),
        AdminGoldenQuestions(services.golden_questions),
        AdminGaps(services.gaps),
        AdminGapGrooming(GapGrooming(services.records)),
        AdminGapReplays(services.gap_replays, services.gaps),
        AdminGapSuggestions(services.gap_suggestions),
        AdminConversations(services.conversation_review, services.token_budgets),
        AdminLeads(services.leads),
        AdminLiveChats(services.live_chats),
        AdminUserSecret(services.signed_users),
        AdminTurnReview(TurnReview(services.records, services.golden_questions)),
        AdminQuality(
            QualityReview(services.records, services.clock), ThresholdCurves(services.records, services.clock)
        ),
        AdminVisitors(services.visitor_data),
        AdminAudit(AuditLog(services.records)),
        AdminOperators(services.operators),
        AdminTokens(services.api_tokens),
        WidgetScript(widget_files),
        Health(services.readiness, services.metrics, version),
        StreamProbe(streams),
    ]
    return [endpoint for api in (*apis, OpenApi(apis, version)) for endpoint in api.endpoints()]
