"""Converts every error to a response `{"error": {"code", "message", "field"?}}`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from pydantic import ValidationError
from sse_starlette.sse import SendTimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.errors import (
    AgentPaused,
    ChatAlreadyTaken,
    DocentError,
    HandedToPerson,
    InvalidInput,
    NoActiveChat,
    NotFound,
    OriginRefused,
    Overloaded,
    PublishGateFailed,
    RateLimited,
    TurnConflict,
    TurnInProgress,
    Unauthorized,
    Unavailable,
)
from app.web.validation_messages import invalid_input_of

_log = structlog.get_logger("docent.web")

OVERLOADED_RETRY_SECONDS = 2

# All error codes with their status; openapi.py documents them.
STATUS_OF_CODE: Mapping[str, int] = {
    "malformed_json": 400,
    "malformed_form": 400,
    "malformed_http": 400,
    "unauthorized": 401,
    "origin_refused": 403,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_slow": 408,
    "turn_conflict": 409,
    "turn_in_progress": 409,
    "handed_to_person": 409,
    "agent_paused": 409,
    "no_active_chat": 409,
    "chat_already_taken": 409,
    "publish_gate_failed": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "invalid_request": 422,
    "proof_wanted": 428,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal": 500,
    "model_interrupted": 502,
    "interrupted": 503,
    "model_unavailable": 503,
    "shutting_down": 503,
    "overloaded": 503,
    "unavailable": 503,
}

_CODE_OF_ERROR: tuple[tuple[type[DocentError], str], ...] = (
    (InvalidInput, "invalid_request"),
    (NotFound, "not_found"),
    (Unauthorized, "unauthorized"),
    (OriginRefused, "origin_refused"),
    (TurnConflict, "turn_conflict"),
    (TurnInProgress, "turn_in_progress"),
    (HandedToPerson, "handed_to_person"),
    (AgentPaused, "agent_paused"),
    (NoActiveChat, "no_active_chat"),
    (ChatAlreadyTaken, "chat_already_taken"),
    (PublishGateFailed, "publish_gate_failed"),
    (RateLimited, "rate_limited"),
    (Overloaded, "overloaded"),
    (Unavailable, "unavailable"),
)

_CODE_OF_STATUS = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}


@dataclass(frozen=True, slots=True)
class Problem:
    """The content of an error response."""

    code: str
    message: str
    field_name: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        error = {"code": self.code, "message": self.message}
        if self.field_name:
            error["field"] = self.field_name
        headers = {"Cache-Control": "no-store", **self.headers}
        return JSONResponse({"error": error}, STATUS_OF_CODE[self.code], headers)


class Refusal(Exception):
    """An error that only the HTTP layer raises, such as for invalid JSON, a body that is too large, a missing scope."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(code, message, headers=headers or {})


def problem_of(error: Exception) -> Problem:
    """The response to an error. Re-raises errors that Docent does not raise deliberately."""
    match error:
        case Refusal():
            return error.problem
        case ValidationError():
            return problem_of(invalid_input_of(error))
        case HTTPException():
            return _problem_of_http(error)
        case DocentError():
            return _problem_of_ours(error)
    raise error


def _problem_of_ours(error: DocentError) -> Problem:
    code = next((code for kind, code in _CODE_OF_ERROR if isinstance(error, kind)), None)
    if code is None:
        raise error
    headers: dict[str, str] = {}
    message = str(error)
    match error:
        case Unauthorized():
            headers["WWW-Authenticate"] = "Bearer"
        case RateLimited():
            headers |= _limit_headers(error)
        case Overloaded():
            headers["Retry-After"] = str(OVERLOADED_RETRY_SECONDS)
        case Unavailable():
            # The message may name internal parts, so it is logged instead of shown to visitors.
            _log.error("part.unavailable", kind=type(error).__name__, error=message)
            headers["Retry-After"] = str(OVERLOADED_RETRY_SECONDS)
            message = "Part of this service is down. Try again in a moment."
    return Problem(code, message, error.field if isinstance(error, InvalidInput) else None, headers)


def _limit_headers(error: RateLimited) -> dict[str, str]:
    """Retry-After, and for quotas that recover with time, the fields of draft-ietf-httpapi-ratelimit-headers-10."""
    wait = max(1, error.retry_after_seconds)
    headers = {"Retry-After": str(wait)}
    if error.quota is not None:
        count, seconds = error.quota
        headers |= {"RateLimit-Policy": f'"default";q={count};w={seconds}', "RateLimit": f'"default";r=0;t={wait}'}
    return headers


def _problem_of_http(error: HTTPException) -> Problem:
    code = _CODE_OF_STATUS.get(error.status_code, "invalid_request")
    headers = dict(error.headers or {})
    messages = {
        "not_found": "There is nothing at this address. Docent's /openapi.json lists every address.",
        "method_not_allowed": f"This address takes {headers.get('Allow', 'another method')}. Use one of these.",
    }
    return Problem(code, messages.get(code, error.detail), headers=headers)


INTERNAL = Problem(
    "internal", "Something went wrong on our side and was logged. Try again; if it persists, report the X-Request-ID."
)


async def answer_with_problem(request: Request, error: Exception) -> Response:
    """A handler for Starlette's `exception_handlers`."""
    return problem_of(error).response()


class UnexpectedErrors:
    """Answers unexpected errors with a 500. It is inside the middleware that adds headers, so that a 500 has them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watched_send(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except (ClientDisconnect, SendTimeoutError):
            return  # the client has left; the server closes the connection
        except Exception:
            if has_started:
                raise
            _log.exception("request.failed")
            await INTERNAL.response()(scope, receive, send)
