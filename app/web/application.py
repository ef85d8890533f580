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
from app.web.admin_access import AdminAccess
from app.web.admin_agents import AdminAgents
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
from app.web.admin_starter_suggestions import AdminStarterSuggestions
from app.web.admin_tokens import AdminTokens
from app.web.admin_turn_review import AdminTurnReview
from app.web.admin_user_secret import AdminUserSecret
from app.web.admin_visitors import AdminVisitors
from app.web.admin_webhooks import AdminWebhooks
from app.web.client_address import ClientAddresses
from app.web.console.registry import console_routes
from app.web.cors import WidgetCors
from app.web.endpoint import AnyEndpoint, routes_of
from app.web.errors import Refusal, answer_with_problem
from app.web.gap_export import GapExport
from app.web.health import Health
from app.web.limits_policy import LimitsPolicy, StreamPolicy
from app.web.metrics import RequestMeter, StreamMeter
from app.web.openapi import OpenApi
from app.web.request_log import RequestLog
from app.web.response_headers import SecurityHeaders
from app.web.services import WebServices
from app.web.source_hooks import HookAccess, SourceHookApi
from app.web.stream_probe import ProbeAccess, StreamProbe
from app.web.unexpected_errors import UnexpectedErrors
from app.web.widget_api import WidgetApi
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
    endpoints = endpoints_of(
        services,
        limits=limits,
        streams=streams or StreamPolicy(),
        addresses=addresses,
        version=version,
        widget_files=widget,
    )
    app = Starlette(
        routes=[*routes_of(endpoints), *console_routes(services, limits, addresses, widget), *more_routes],
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
    *,
    limits: LimitsPolicy,
    streams: StreamPolicy,
    addresses: ClientAddresses,
    version: str,
    widget_files: Path,
) -> list[AnyEndpoint]:
    """Every endpoint that there is: tests go through this list, so that none is left out."""
    access = AdminAccess.of(services.api_tokens, services.rate_limiter, limits)
    widget = WidgetApi(
        services, limits=limits, streams=streams, addresses=addresses, meter=StreamMeter(services.metrics)
    )
    endpoints = [
        *widget.endpoints(),
        *AdminAgents(
            services.agents, Publishing(services.agents, services.golden_runs), services.token_budgets, access
        ).endpoints(),
        *AdminStarterSuggestions(StarterSuggestions(services.records), access).endpoints(),
        *AdminSources(services.sources, services.page_sync, services.schedules, access).endpoints(),
        *AdminSourceEditing(services.source_editing, access).endpoints(),
        *AdminDiscovery(services.discovery, access).endpoints(),
        *AdminFiles(services.source_files, access).endpoints(),
        *AdminDocuments(services.document_batches, access).endpoints(),
        *AdminRuns(services.sources, services.run_watch, access, streams).endpoints(),
        *AdminPassages(Passages(services.records), access).endpoints(),
        *AdminPreviews(services.reading_previews, access).endpoints(),
        *SourceHookApi(
            services.source_hooks,
            services.sources,
            services.page_sync,
            access,
            HookAccess(services.rate_limiter, limits, addresses),
        ).endpoints(),
        *AdminSchedules(services.schedules, access).endpoints(),
        *AdminSearch(services.search, access).endpoints(),
        *AdminWebhooks(services.webhooks, access).endpoints(),
        *AdminDeletions(services.deletions, access).endpoints(),
        *AdminQuarantine(services.page_quarantine, access).endpoints(),
        *AdminRehearsals(services.rehearsals, access).endpoints(),
        *AdminCuratedAnswers(services.curated_answers, access).endpoints(),
        *AdminPlayground(services.playground, access, streams).endpoints(),
        *AdminGoldenRuns(services.golden_runs, access).endpoints(),
        *AdminGoldenQuestions(services.golden_questions, access).endpoints(),
        *AdminGaps(services.gaps, access).endpoints(),
        *AdminGapGrooming(GapGrooming(services.records), access).endpoints(),
        *AdminGapReplays(services.gap_replays, services.gaps, access).endpoints(),
        *AdminGapSuggestions(services.gap_suggestions, access).endpoints(),
        *GapExport(services.gaps, access).endpoints(),
        *AdminConversations(services.conversation_review, services.token_budgets, access).endpoints(),
        *AdminLeads(services.leads, access).endpoints(),
        *AdminLiveChats(services.live_chats, access).endpoints(),
        *AdminUserSecret(services.signed_users, access).endpoints(),
        *AdminTurnReview(TurnReview(services.records, services.golden_questions), access).endpoints(),
        *AdminQuality(
            QualityReview(services.records, services.clock), ThresholdCurves(services.records, services.clock), access
        ).endpoints(),
        *AdminVisitors(services.visitor_data, access).endpoints(),
        *AdminAudit(AuditLog(services.records), access).endpoints(),
        *AdminOperators(services.operators, access).endpoints(),
        *AdminTokens(services.api_tokens, access).endpoints(),
        *WidgetScript(widget_files).endpoints(),
        *Health(services.readiness, services.metrics, version).endpoints(),
        *StreamProbe(ProbeAccess(services.rate_limiter, limits, addresses), streams).endpoints(),
    ]
    return OpenApi(version).with_itself(endpoints)
