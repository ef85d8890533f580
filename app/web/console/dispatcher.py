"""Dispatches all requests to the console: checks session, role, form token and limits, calls the page's handler, and
renders its result or its error."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.agents.agent import Agent
from app.agents.agents import Agents
from app.core.errors import DocentError, InvalidInput
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.providers.chat.model_health import ModelHealth
from app.store.system_of_record import SystemOfRecord, Transaction
from app.web.access import Admission, ScopedAccess
from app.web.console.filters import size
from app.web.console.forms import Fields, errors_of, file_field, form_of, parse_fields, read_fields
from app.web.console.page import AGENT, Answer, ConsolePage, Go, NoForm, Pages, Rejected, Shown, Streamed, Visit
from app.web.console.rendering import HEADERS, Rendering
from app.web.console.session_cookie import CSRF_FIELD, FLASH, SESSION, flash_of, is_csrf_token, new_secret, set_flash
from app.web.errors import INTERNAL, STATUS_OF_CODE, Problem, Refusal, problem_of
from app.web.middleware.request_log import note_refusal
from app.web.request_body import unless_client_leaves
from app.web.static_files import StaticFiles
from app.workspaces.operators import acting

_log = structlog.get_logger("docent.web")

SIGN_IN = "sign_in"
AGENTS_TO_PICK_FROM = 200
STATIC_FILES = Path(__file__).parent / "static"


class Dispatcher(Wired):
    pages: Mapping[str, ConsolePage]
    rendering: Rendering
    _admission: Admission
    _agents: Agents
    _records: SystemOfRecord
    _model_health: ModelHealth | None
    _clock: Clock

    async def answer(self, page: ConsolePage, request: Request) -> Response:
        """Never raises, except if the client has left."""
        secret = SESSION.read(request)
        visit: Visit[Any] = Visit(request, None, NoForm(), page, self.pages, secret or new_secret(), self._clock.now())
        try:
            visit = await self._known(visit)
            if page.scope is not None and visit.operator_or_none is None:
                return self._to_sign_in(visit)
            with page.holding(visit.actor) if page.holding else nullcontext():
                response = await self._admitted(visit)
        except ClientDisconnect:
            raise
        except (DocentError, Refusal, HTTPException) as error:
            response = await self._problem(visit, problem_of(error))
        except Exception:
            _log.exception("request.failed")
            response = await self._problem(visit, INTERNAL)
        if not secret and page.scope is None and not SESSION.is_set_by(request, response):
            SESSION.set(request, response, visit.secret)
        return response

    async def _known(self, visit: Visit[Any]) -> Visit[Any]:
        """The visit with its caller set, if an operator is signed in."""
        operator = await self._admission.sign_in.signed_in(visit.secret) if SESSION.read(visit.request) else None
        if operator is None:
            return visit
        return replace(visit, operator_or_none=operator, caller=acting(operator))

    async def _admitted(self, visit: Visit[Any]) -> Response:
        page, request = visit.page, visit.request
        fields: Fields = {}
        too_large = ""  # the file field of a form that was not read completely
        if request.method == "POST":
            try:
                fields = await read_fields(request, page.max_body_bytes)
                _check_form_token(visit, fields)
            except Refusal as refusal:
                too_large = file_field(page.form) if refusal.problem.code == "too_large" else ""
                if not too_large:
                    raise
        if isinstance(page.access, ScopedAccess):
            await page.access.admit_operator(visit.operator, self._admission)
            if "agent_id" in request.path_params:
                agent = await self._agents.agent(visit.actor, visit.path_id("agent_id"))
                visit = replace(visit, agent_or_none=agent)
        if too_large:
            message = f"This is too large. Send at most {size(page.max_body_bytes)}, or split it."
            return await self._shown_again(visit, {}, {too_large: message}, STATUS_OF_CODE["too_large"])
        if request.method == "POST":
            answer = await self._posted(visit, fields)
        else:
            answer = await self._looked_at(visit)
        return await self._response(visit, answer)

    async def _looked_at(self, visit: Visit[Any]) -> Answer:
        try:
            given = form_of(visit.page.form, parse_fields(visit.request.url.query))
        except ValidationError as error:
            raise problem_as_refusal(error) from None
        return await visit.page.handler(replace(visit, input=given))

    async def _posted(self, visit: Visit[Any], fields: Fields) -> Answer:
        """Call the action. For invalid input, show the page with its form again."""
        page = visit.page
        try:
            call = partial(page.handler, replace(visit, input=form_of(page.form, fields)))
            return await (unless_client_leaves(visit.request, call) if page.holding else call())
        except (ValidationError, InvalidInput) as error:
            if not page.shown_on:
                raise problem_as_refusal(error) from None
            values = {
                name: tuple(value for value in sent if isinstance(value, str))
                for name, sent in fields.items()
                if "password" not in name
            }
            return await self._shown_again(visit, values, errors_of(error, page.form, fields), 422)

    async def _shown_again(
        self, visit: Visit[Any], values: Mapping[str, tuple[str, ...]], errors: Mapping[str, str], status: int
    ) -> Response:
        """Show the page of a refused form again, with the input and its errors."""
        again = visit.again(Rejected(visit.page.name, values, errors))
        shown = await again.page.handler(again)
        return await self._response(again, replace(shown, status=status) if isinstance(shown, Shown) else shown)

    async def _response(self, visit: Visit[Any], answer: Answer) -> Response:
        match answer:
            case Go():
                response: Response = RedirectResponse(answer.to, 303, HEADERS)
                if answer.message:
                    set_flash(visit.request, response, answer.tone, answer.message)
                return response
            case Shown():
                return await self._shown(visit, answer)
            case Streamed():
                return answer.response(lambda shown: self._drawn(visit, shown))
        return answer

    async def _drawn(self, visit: Visit[Any], shown: Shown) -> str:
        return bytes((await self._shown(visit, shown)).body).decode()

    async def _shown(self, visit: Visit[Any], shown: Shown) -> Response:
        flash = flash_of(visit.request)
        agents = await self._agents_to_pick(visit)
        waiting = await self._waiting(visit, agents)
        health = self._model_health
        alert = health.alert if health else None
        response = self.rendering.page(visit, shown, agents, flash, waiting, alert)
        if flash:
            FLASH.forget(visit.request, response)
        return response

    async def _agents_to_pick(self, visit: Visit[Any]) -> Sequence[Agent]:
        if visit.caller is None:
            return ()
        return (await self._agents.page(visit.actor, PageRequest(AGENTS_TO_PICK_FROM))).items

    async def _waiting(self, visit: Visit[Any], agents: Sequence[Agent]) -> Mapping[str, int]:
        """The number of items that wait for an operator, by the name of their page."""
        if visit.caller is None:
            return {}
        agent, own = visit.agent_or_none or next(iter(agents), None), visit.actor.workspace_id

        def work(tx: Transaction) -> Mapping[str, int]:
            found = {}
            for page in self.pages.values():
                whose = own if AGENT not in page.path else agent.id if agent else None
                if page.waiting and whose:
                    found[page.name] = page.waiting(tx, whose, visit.now)
            return found

        return await self._records.of_workspace(own).read(work)

    async def _problem(self, visit: Visit[Any], problem: Problem) -> Response:
        shown = Shown("web/console/templates/problem.html", {"problem": problem}, STATUS_OF_CODE[problem.code])
        response = await self._shown(visit, shown)
        retry = {name: value for name, value in problem.headers.items() if name in ("Retry-After", "Allow")}
        response.headers.update(retry)
        return response

    def _to_sign_in(self, visit: Visit[Any]) -> Response:
        """Redirect to the sign-in page, and back afterwards if a page was requested."""
        note_refusal(visit.request.scope)
        url = visit.request.url
        wanted = f"{url.path}?{url.query}" if url.query else url.path
        target = visit.url(SIGN_IN, {"next": wanted} if visit.request.method in ("GET", "HEAD") else {})
        if visit.request.headers.get("hx-request"):
            return Response(headers={**HEADERS, "HX-Redirect": target})
        if visit.page.is_stream:
            return Response(status_code=204, headers=HEADERS)  # browsers then stop reconnecting to the stream
        return RedirectResponse(target, 303, HEADERS)


def problem_as_refusal(error: ValidationError | InvalidInput) -> Refusal:
    problem = problem_of(error)
    return Refusal(problem.code, problem.message)


def _check_form_token(visit: Visit[Any], fields: Fields) -> None:
    given = fields.get(CSRF_FIELD, [""])[-1]
    if not isinstance(given, str) or not is_csrf_token(SESSION.read(visit.request), given):
        raise Refusal(
            "forbidden",
            "This page has expired. Go back, reload it and send the form again. "
            "If that does not help, open the console over https:// or at http://localhost, and allow its cookie.",
        )


def console_files() -> StaticFiles:
    return StaticFiles(STATIC_FILES, "/console/static/{file}")


def pages_by_name(parts: Iterable[Pages]) -> dict[str, ConsolePage]:
    pages: dict[str, ConsolePage] = {}
    for page in (page for part in parts for page in part.pages()):
        if page.name in pages:
            raise ValueError(f"two pages of the console have the name {page.name}")
        pages[page.name] = page
    return pages


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
