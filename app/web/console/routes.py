"""The routes of the console."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.web.console.dispatcher import Dispatcher
from app.web.console.page import ConsolePage, Pages
from app.web.static_files import StaticFiles

STATIC_FILES = Path(__file__).parent / "static"


def console_files() -> StaticFiles:
    return StaticFiles(STATIC_FILES, "/console/static/{file}")


def pages_by_name(parts: Iterable[Pages]) -> dict[str, ConsolePage]:
    pages: dict[str, ConsolePage] = {}
    for page in (page for part in parts for page in part.pages()):
        if page.name in pages:
            raise ValueError(f"two pages of the console have the name {page.name}")
        pages[page.name] = page
    return {page.name: replace(page, under=_under(page, pages)) for page in pages.values()}


def _under(page: ConsolePage, pages: Mapping[str, ConsolePage]) -> str:
    """An action stands where the page of its form does, unless it says otherwise."""
    form = pages.get(page.shown_on)
    return page.under or (form.under or form.name if form else "")


def console_routes(pages: Mapping[str, ConsolePage], door: Dispatcher, files: StaticFiles) -> list[Route]:
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


def _route(path: str, methods: Mapping[str, ConsolePage], door: Dispatcher) -> Route:
    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await door.answer(methods[method], request)

    return Route(path, dispatch, methods=sorted(methods), name=path)
