"""One declaration of each route, from which routing, validation and the OpenAPI document are made."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.domain.errors import InvalidInput, NotFound
from app.web.form_body import read_form
from app.web.json_body import check_json, read_body, refuse_declared_length

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_PATH_NAME = re.compile(r"\{(\w+)\}")

DEFAULT_MAX_BODY_BYTES = 64 * 1024


class Model(BaseModel):
    """What comes in and goes out: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, from_attributes=True)


def without_defaults(schema: dict[str, Any]) -> None:
    """For the schema of a PATCH: what it leaves out keeps its value, so a default would mislead."""
    for described in schema["properties"].values():
        described.pop("default", None)


Caller = TypeVar("Caller")
CallerOut = TypeVar("CallerOut", covariant=True)
Input = TypeVar("Input")


class Access(Protocol[CallerOut]):
    """Who may call. `scheme` names the OpenAPI security scheme, None for everyone; `errors` are its refusals."""

    @property
    def scheme(self) -> str | None: ...
    @property
    def errors(self) -> Sequence[str]: ...

    async def admit(self, request: Request) -> CallerOut:
        """Raises Unauthorized, OriginRefused, RateLimited or a Refusal."""
        ...


@dataclass(frozen=True)
class Everyone:
    scheme: str | None = None
    errors: Sequence[str] = ()

    async def admit(self, request: Request) -> None:
        return None


@dataclass(frozen=True)
class Call(Generic[Caller, Input]):
    """One admitted request: who calls, with what."""

    request: Request
    caller: Caller
    input: Input

    def path_id(self, name: str) -> UUID:
        """A path parameter such as "agent_id". What is no UUID is as absent as what does not exist."""
        raw = str(self.request.path_params[name])
        if not _UUID.fullmatch(raw):
            raise NotFound(name.removesuffix("_id").replace("_", " "))
        return UUID(raw)


@dataclass(frozen=True)
class StreamWords:
    """How the OpenAPI document describes an event stream."""

    description: str
    example: str


Answer = BaseModel | Response | None


@dataclass(frozen=True)
class Endpoint(Generic[Caller, Input]):
    """`input_model` is read from the query of a GET or DELETE, from the JSON body otherwise; `form_model` from a
    multipart body. `codes` are refusals beside those that access and input bring along."""

    method: str
    path: str
    operation: str  # OpenAPI operationId
    summary: str
    tag: str
    access: Access[Caller]
    handler: Callable[[Call[Caller, Input]], Awaitable[Answer]]
    input_model: type[BaseModel] | None = None
    form_model: type[BaseModel] | None = None
    text_body: str = ""  # media type of a body that the handler reads itself
    is_input_optional: bool = False
    response_model: type[BaseModel] | None = None
    response_media_type: str = "application/json"
    other_media_types: Sequence[str] = ()  # that the input may ask for
    stream: StreamWords | None = None  # of an event stream that is not a turn's, for the document
    status: int = 200
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES
    codes: Sequence[str] = ()
    path_patterns: Mapping[str, str] = field(default_factory=dict)  # of path parameters that are no ids
    other_statuses: Mapping[int, str] = field(default_factory=dict)  # with the response model, for the document

    @property
    def has_body(self) -> bool:
        return self.input_model is not None and self.method not in ("GET", "DELETE")

    @property
    def path_ids(self) -> list[str]:
        return [name for name in self.path_names if name.endswith("_id")]

    @property
    def path_names(self) -> list[str]:
        return _PATH_NAME.findall(self.path)

    async def respond(self, request: Request) -> Response:
        caller = await self.access.admit(request)
        refuse_declared_length(request, self.max_body_bytes)
        given: Any = await self._read_input(request)
        answer = await self.handler(Call(request, caller, given))
        if isinstance(answer, Response):
            return answer
        headers = {"Cache-Control": "no-store"}
        if answer is None:
            return Response(status_code=self.status, headers=headers)
        return Response(answer.model_dump_json(), self.status, headers, "application/json")

    async def _read_input(self, request: Request) -> BaseModel | None:
        if self.form_model is not None:
            return self.form_model.model_validate(await read_form(request, self.max_body_bytes))
        if self.input_model is None:
            return None
        if not self.has_body:
            return self.input_model.model_validate_strings(_query(request))
        body = await read_body(request, self.max_body_bytes)
        if not body and self.is_input_optional:
            body = b"{}"
        check_json(request, body)
        return self.input_model.model_validate_json(body)


AnyEndpoint = Endpoint[Any, Any]


def _query(request: Request) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in found:
            raise InvalidInput(name[:60], "This stands twice in the query. Send it once.")
        if "\x00" in value or "\x00" in name:
            raise InvalidInput(name.replace("\x00", "")[:60], "This holds a NUL character. Remove it.")
        found[name] = value
    return found


def routes_of(endpoints: Iterable[AnyEndpoint]) -> list[Route]:
    """One route for each path, so that a 405 can name all of its methods; "/agents/new" comes before "/agents/{id}",
    and answers for each of its methods itself."""
    by_path: dict[str, dict[str, AnyEndpoint]] = {}
    for endpoint in endpoints:
        methods = by_path.setdefault(endpoint.path, {})
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
        methods[endpoint.method] = endpoint
    written_first = sorted(by_path, key=lambda path: [(part.startswith("{"), part) for part in path.split("/")])
    return [_route(path, by_path[path]) for path in written_first]


def _route(path: str, methods: Mapping[str, AnyEndpoint]) -> Route:
    allowed = sorted(methods.keys() | ({"HEAD"} if "GET" in methods else set()))

    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        if method not in methods:
            raise HTTPException(405, headers={"Allow": ", ".join(allowed)})
        return await methods[method].respond(request)

    route = Route(path, dispatch, methods=allowed, name=path)
    route.methods = set()  # every method is ours to answer: Starlette would look for another path that takes it
    return route
