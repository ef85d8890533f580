"""Declares routes on their handlers; routing, validation and the OpenAPI document are derived from the declarations."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar, Generic, Protocol, TypedDict, TypeVar, Unpack, get_args, get_type_hints
from uuid import UUID

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.errors import DocentError, InvalidInput, NotFound, OriginRefused, RateLimited, Unauthorized
from app.kit.wiring import Wired
from app.web.access import Admission
from app.web.errors import Problem, Refusal, problem_of
from app.web.middleware.request_log import note_refusal
from app.web.model import Multipart
from app.web.request_body import check_json, read_body, read_form, refuse_declared_length, unless_client_leaves

Declared = TypeVar("Declared", bound=Callable[..., Any])

_MARK = "__declared__"


def declare(handler: Declared, declaration: object) -> Declared:
    setattr(handler, _MARK, declaration)
    return handler


def declarations(owner: object, **more: object) -> list[Any]:
    """The declarations on the methods of `owner`, in order, with the bound handler and the fields `more` set."""
    kind: Any = type(owner)
    bound = []
    for each in _declared(kind):
        # As `dataclasses.replace` does, which takes ten times as long for this many fields.
        bound.append(object.__new__(type(each)))
        vars(bound[-1]).update(vars(each), handler=each.handler.__get__(owner), **more)
    return bound


@cache
def _declared(kind: type[object]) -> tuple[Any, ...]:
    members = (member for each in reversed(kind.__mro__) for member in vars(each).values())
    found = (getattr(member, _MARK, None) for member in members)
    return tuple(each for each in found if each is not None)


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_PATH_NAME = re.compile(r"\{(\w+)\}")
NUMBER = "[1-9][0-9]{0,8}"
_NUMBER = re.compile(NUMBER, re.ASCII)
_VISITORS = "/v1/widget/"

DEFAULT_MAX_BODY_BYTES = 64 * 1024


Caller = TypeVar("Caller")
CallerOut = TypeVar("CallerOut", covariant=True)
Input = TypeVar("Input")
InputOut = TypeVar("InputOut", covariant=True)
AnswerOf = TypeVar("AnswerOf", bound=BaseModel | Response | None)


class Access(Protocol[CallerOut]):
    """Who may call. `scheme` names the OpenAPI security scheme, None for everyone; `errors` are its refusals."""

    @property
    def scheme(self) -> str | None: ...
    @property
    def errors(self) -> Sequence[str]: ...

    async def admit(self, request: Request, admission: Admission) -> CallerOut:
        """Raises Unauthorized, OriginRefused, RateLimited or a Refusal."""
        ...


@dataclass(frozen=True)
class Call(Generic[CallerOut, InputOut]):
    """An admitted request: the caller and the input."""

    request: Request
    caller: CallerOut
    input: InputOut

    def path_id(self, name: str) -> UUID:
        """A path parameter such as "agent_id". An invalid UUID reads as not found."""
        return path_id(self.request, name)

    def path_number(self, name: str, what: str) -> int:
        """A path parameter whose pattern is `NUMBER`. Anything else reads as not found."""
        raw = str(self.request.path_params[name])
        if not _NUMBER.fullmatch(raw):
            raise NotFound(what)
        return int(raw)


def path_id(request: Request, name: str) -> UUID:
    """Raises NotFound for an invalid UUID."""
    raw = str(request.path_params[name])
    if not _UUID.fullmatch(raw):
        raise NotFound(name.removesuffix("_id").replace("_", " "))
    return UUID(raw)


@dataclass(frozen=True)
class StreamWords:
    """How the OpenAPI document describes an event stream."""

    description: str
    example: str


@dataclass(frozen=True)
class RefusalShape:
    """The format of errors on routes of a foreign API, such as OpenAI's: the response to a problem, and the status and
    name there for each of our codes. `model` describes it in the OpenAPI document."""

    response: Callable[[Problem], Response]
    status: Callable[[str], int]
    code: Callable[[str], str]
    model: type[BaseModel]


class Details(TypedDict, total=False):
    """The options of a route's declaration besides its path and access."""

    status: int  # else 200, or 204 if the handler returns nothing
    codes: Sequence[str]  # refusals in addition to those of access, input and an id in the path
    is_input_optional: bool
    max_body_bytes: int
    text_body: str  # media type of a body that the handler reads itself
    response_model: type[BaseModel]  # of a handler that creates its response itself
    response_media_type: str
    other_media_types: Sequence[str]  # that the input may request
    stream: StreamWords  # of an event stream that is not a turn's, for the document
    path_patterns: Mapping[str, str]  # of path parameters that are no ids
    other_statuses: Mapping[int, str]  # with the response model, or that of `refusals`, for the document
    refusals: RefusalShape
    challenge: Callable[[Request], str]  # the header WWW-Authenticate of a 401


@dataclass(frozen=True)
class Endpoint(Generic[Caller, Input]):
    """`input_model` is read from the query of a GET or DELETE, otherwise from the JSON body; `form_model` from a
    multipart body. For the other fields, see `Details`."""

    method: str
    path: str
    summary: str
    access: Access[Caller]
    handler: Callable[..., Awaitable[BaseModel | Response | None]]
    operation: str  # OpenAPI operationId
    tag: str = ""
    input_model: type[BaseModel] | None = None
    form_model: type[BaseModel] | None = None
    text_body: str = ""
    is_input_optional: bool = False
    response_model: type[BaseModel] | None = None
    response_media_type: str = "application/json"
    other_media_types: Sequence[str] = ()
    stream: StreamWords | None = None
    status: int = 200
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES
    codes: Sequence[str] = ()
    path_patterns: Mapping[str, str] = field(default_factory=dict)
    other_statuses: Mapping[int, str] = field(default_factory=dict)
    refusals: RefusalShape | None = None
    challenge: Callable[[Request], str] | None = None
    # A context for the caller that is held while the body is read and handled. If the client leaves, the work ends.
    holding: Callable[[Any], AbstractContextManager[None]] | None = None

    @property
    def has_body(self) -> bool:
        return self.input_model is not None and self.method not in ("GET", "DELETE")

    @property
    def path_ids(self) -> list[str]:
        return [name for name in self.path_names if name.endswith("_id")]

    @property
    def path_names(self) -> list[str]:
        return _PATH_NAME.findall(self.path)

    async def respond(self, request: Request, admission: Admission) -> Response:
        try:
            return await self._answer(request, admission)
        except (DocentError, HTTPException, Refusal, ValidationError) as error:
            if self.refusals is None:
                raise
            return self.refusals.response(problem_of(error))

    async def _answer(self, request: Request, admission: Admission) -> Response:
        try:
            caller = await self.access.admit(request, admission)
        except (OriginRefused, RateLimited, Refusal, Unauthorized) as error:
            note_refusal(request.scope)
            if self.challenge is not None and isinstance(error, Unauthorized):
                challenge = {"WWW-Authenticate": self.challenge(request)}
                raise Refusal("unauthorized", str(error), challenge) from None
            raise
        refuse_declared_length(request, self.max_body_bytes)
        if self.holding is None:
            answer = await self.handler(Call(request, caller, await self._read_input(request)))
        else:
            with self.holding(caller):
                call: Call[Caller, Any] = Call(request, caller, await self._read_input(request))
                answer = await unless_client_leaves(request, partial(self.handler, call))
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


class Api(Wired):
    """The operations of one subject: methods decorated with `get`, `post`, `put`, `patch` or `delete`, in order."""

    tag: ClassVar[str]  # under which the OpenAPI document lists them

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return declarations(self, tag=self.tag)


Handler = Callable[[Any, Call[Caller, Input]], Awaitable[AnswerOf]]


class _Verb:
    """Declares a handler as the operation at a path. Input and output come from the handler's annotations, the OpenAPI
    operationId from its name."""

    def __init__(self, method: str) -> None:
        self._method = method

    def __call__(
        self, path: str, summary: str, *, access: Access[Caller], **details: Unpack[Details]
    ) -> Callable[[Handler[Caller, Input, AnswerOf]], Handler[Caller, Input, AnswerOf]]:
        def mark(handler: Handler[Caller, Input, AnswerOf]) -> Handler[Caller, Input, AnswerOf]:
            declared: dict[str, Any] = {**_of_annotations(handler), **details}
            operation = _camel_case(handler.__name__)
            return declare(handler, Endpoint(self._method, path, summary, access, handler, operation, **declared))

        return mark


get, post, put, patch, delete = (_Verb(method) for method in ("GET", "POST", "PUT", "PATCH", "DELETE"))


def _of_annotations(handler: Callable[..., Any]) -> dict[str, Any]:
    """The models of input and output, and status 204 for a handler that returns nothing."""
    types = get_type_hints(handler)
    _, given = get_args(types["call"])
    found = {"form_model" if issubclass(given, Multipart) else "input_model": given, "response_model": types["return"]}
    models: dict[str, Any] = {name: model for name, model in found.items() if issubclass(model, BaseModel)}
    return models | ({"status": 204} if types["return"] is type(None) else {})


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _query(request: Request) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in found:
            raise InvalidInput(name[:60], "This appears twice in the query. Send it once.")
        if "\x00" in value or "\x00" in name:
            raise InvalidInput(name.replace("\x00", "")[:60], "This contains a NUL character. Remove it.")
        found[name] = value
    return found


def routes_of(endpoints: Iterable[AnyEndpoint], admission: Admission) -> list[Route]:
    """One route per path, so that a 405 can list all methods. "/agents/new" comes before "/agents/{id}", and
    "{name}.{build}.js" before "{name}.js". Visitors' routes come first, because requests are matched in order."""
    by_path: dict[str, dict[str, AnyEndpoint]] = {}
    for endpoint in endpoints:
        methods = by_path.setdefault(endpoint.path, {})
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
        methods[endpoint.method] = endpoint
    written_first = sorted(
        by_path,
        key=lambda path: (
            "{" in path,
            not path.startswith(_VISITORS),
            [(part.startswith("{"), -part.count("{"), part) for part in path.split("/")],
        ),
    )
    return [_route(path, by_path[path], admission) for path in written_first]


def _route(path: str, methods: Mapping[str, AnyEndpoint], admission: Admission) -> Route:
    allowed = sorted(methods.keys() | ({"HEAD"} if "GET" in methods else set()))

    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        if method not in methods:
            raise HTTPException(405, headers={"Allow": ", ".join(allowed)})
        return await methods[method].respond(request, admission)

    route = Route(path, dispatch, methods=allowed, name=path)
    route.methods = set()  # answer every method here: Starlette would otherwise try further routes
    return route
