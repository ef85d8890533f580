"""Every page of the console, and the routes that are made of them."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.web.admission import Admission
from app.web.client_address import ClientAddresses
from app.web.console.front_door import FrontDoor
from app.web.console.gap_view import GapShow
from app.web.console.page import ConsolePage
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
from app.web.limits_policy import LimitsPolicy
from app.web.services import WebServices
from app.web.static_files import StaticFiles

STATIC_FILES = Path(__file__).parent / "static"


def pages_of(
    services: WebServices, limits: LimitsPolicy, addresses: ClientAddresses, widget: Path
) -> dict[str, ConsolePage]:
    """By name: tests go through this list, so that none is left out."""
    gap = GapShow(services)
    parts = (
        SignInPages(services, limits, addresses).pages(),
        GapsPages(services).pages(),
        GapPages(services, gap).pages(),
        GapAnswerPages(services, gap).pages(),
        AgentSettingsPages(services).pages(),
        FirstQuestionPages(services).pages(),
        AgentVersionPages(services, addresses, widget).pages(),
        ConversationPages(services).pages(),
        LeadPages(services).pages(),
        PlaygroundPages(services).pages(),
        CuratedAnswerPages(services).pages(),
        GoldenPages(services).pages(),
        QualityPages(services).pages(),
        ThresholdPages(services).pages(),
        OperatorPages(services).pages(),
        ApiTokenPages(services).pages(),
        WorkspacePages(services).pages(),
        AuditPages(services).pages(),
        SourcePages(services).pages(),
        SourceFilePages(services).pages(),
        QuarantinePages(services).pages(),
        WebhookPages(services).pages(),
        LivePages(services).pages(),
        NewAgentPages(services).pages(),
        HomePages(services).pages(),  # last: one of them takes every address that is left
    )
    pages: dict[str, ConsolePage] = {}
    for page in chain.from_iterable(parts):
        if page.name in pages:
            raise ValueError(f"two pages of the console have the name {page.name}")
        pages[page.name] = page
    return pages


def console_routes(services: WebServices, admission: Admission, widget: Path) -> list[Route]:
    """`widget` is the folder of the built widget."""
    pages = pages_of(services, admission.limits, admission.addresses, widget)
    files = StaticFiles(STATIC_FILES, "/console/static/{file}")
    door = FrontDoor(pages, services, Rendering(files), admission)
    by_path: dict[str, dict[str, ConsolePage]] = {}
    for page in pages.values():
        methods = by_path.setdefault(page.path, {})
        if page.method in methods:
            raise ValueError(f"{page.method} {page.path} is declared twice")
        methods[page.method] = page

    async def static_file(request: Request) -> Response:
        return files.answer(request)

    routes = [Route(files.path, static_file, name=files.path)]
    return routes + [_route(path, methods, door) for path, methods in by_path.items()]


def _route(path: str, methods: Mapping[str, ConsolePage], door: FrontDoor) -> Route:
    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await door.answer(methods[method], request)

    return Route(path, dispatch, methods=sorted(methods), name=path)
