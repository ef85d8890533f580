"""Checks a request's origin against the agent's list of websites."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from app.core.errors import OriginRefused
from app.core.origin import is_listed, normal_origin

_SCOPE_KEY = "docent.origin_verdict"


@dataclass(slots=True)
class OriginVerdict:
    """The result of checking a request's origin; the CORS middleware reads it when the response starts.

    A page may only read a success after its origin was admitted. It may read a refusal before any agent was known (an
    expired token, a body too large): these reveal nothing, and the widget must know when to renew its token.
    """

    origin: str | None
    is_admitted: bool = False
    is_refused: bool = False

    def may_read(self, status: int) -> bool:
        return self.origin is not None and not self.is_refused and (self.is_admitted or status >= 400)


def verdict_of(request: HTTPConnection) -> OriginVerdict:
    """The request's verdict, of which there is one."""
    found = request.scope.get(_SCOPE_KEY)
    if isinstance(found, OriginVerdict):
        return found
    named = request.headers.getlist("origin")
    try:
        origin = normal_origin(named[0]) if len(named) == 1 else None
    except ValueError:
        origin = None
    verdict = OriginVerdict(origin)
    request.scope[_SCOPE_KEY] = verdict
    return verdict


def admit_listed_origin(request: HTTPConnection, allowed: Sequence[str]) -> str:
    """The request's origin. Raises OriginRefused unless the agent lists it."""
    verdict = verdict_of(request)
    if verdict.origin is None or not is_listed(verdict.origin, allowed):
        verdict.is_refused = True
        raise OriginRefused(_refusal(request))
    verdict.is_admitted = True
    return verdict.origin


def refuse_other_pages(request: HTTPConnection, allowed: Sequence[str]) -> None:
    """Check calls that are meant for programs, which send no Origin. Pages may make them only from an origin in
    `allowed`, so that none can reach an internal server through a visitor's browser, not even by DNS rebinding. Raises
    OriginRefused."""
    if not request.headers.getlist("origin"):
        return
    verdict = verdict_of(request)
    if verdict.origin is None or not is_listed(verdict.origin, allowed):
        verdict.is_refused = True
        raise OriginRefused(
            "This website is not among the agent's allowed_origins. Programs must not send an Origin header."
        )
    verdict.is_admitted = True


def is_own(request: HTTPConnection, origin: str) -> bool:
    """Whether the origin is this server's own, as for the console's preview of the widget."""
    return origin.partition("://")[2] == request.url.netloc.lower()


def admit_token_origin(request: HTTPConnection, token_origin: str, allowed: Sequence[str]) -> None:
    """Check a request with a visitor token, which is bound to one origin. Raises OriginRefused.

    Browsers omit Origin only from GETs to the page's own origin. The token's origin, which must still be listed, is
    used then.
    """
    if not request.headers.getlist("origin") and request.scope["method"] in ("GET", "HEAD"):
        if not is_listed(token_origin, allowed):
            raise OriginRefused(f"{_shown(token_origin)} is no longer among this agent's allowed_origins.")
        return
    origin = admit_listed_origin(request, allowed)
    if origin != token_origin:
        verdict = verdict_of(request)
        verdict.is_admitted, verdict.is_refused = False, True
        raise OriginRefused(
            f"This token was made for {_shown(token_origin)}, and {origin} sent it. Call init from {origin}."
        )


def _refusal(request: HTTPConnection) -> str:
    named = request.headers.getlist("origin")
    if not named:
        return "The request has no Origin header. Call from a page of a listed website."
    shown = _shown(named[0])
    if verdict_of(request).origin is None:
        return f"{shown} is not the origin of a website. Open the page over http or https, not from a file."
    return f"{shown} is not among this agent's allowed_origins. Add it there and publish the agent."


def _shown(origin: str) -> str:
    return origin[:200].encode("ascii", "backslashreplace").decode()
