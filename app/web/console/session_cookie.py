"""The console's cookies, and the CSRF token of its forms."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from app.web.console.page import HOME
from app.web.middleware.public_url import root_path_of

PROVIDER, SIGN_OUT = "/console/sign-in/provider", "/console/sign-out"
CSRF_FIELD = "csrf_token"

_SECRET_BYTES = 32
_MAX_ID_TOKEN_CHARS = 3500
_NOT_KEPT = "-"
_MAX_FLASH_CHARS = 500
_TONES = ("good", "bad")


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie that browsers send only over TLS (or to loopback) and hide from scripts. With a `path`, they send it
    only to that path and those below. They keep it for `kept_for`, or until the browser is closed.

    `__Host-` cookies belong to this host alone, and no other host can set them, but they apply to all its paths. If
    Docent has a prefix, other paths belong to other applications, which must not receive our cookies.
    """

    name: str
    path: str = ""
    kept_for: timedelta | None = None
    max_chars: int = 4096  # the limit of browsers

    def read(self, request: Request) -> str:
        """The cookie's value; "" if it is missing or too long."""
        found = request.cookies.get(self._named(request), "")
        return found if len(found) <= self.max_chars else ""

    def set(self, request: Request, response: Response, value: str, kept_for: timedelta | None = None) -> None:
        kept = kept_for or self.kept_for
        seconds = None if kept is None else int(kept.total_seconds())
        response.set_cookie(self._named(request), value, seconds, **self._kept(request))

    def forget(self, request: Request, response: Response) -> None:
        response.delete_cookie(self._named(request), **self._kept(request))

    def is_set_by(self, request: Request, response: Response) -> bool:
        """Whether the response sets or deletes the cookie."""
        return any(each.startswith(f"{self._named(request)}=") for each in response.headers.getlist("set-cookie"))

    def _named(self, request: Request) -> str:
        return f"__Secure-{self.name}" if self.path or root_path_of(request) else f"__Host-{self.name}"

    def _kept(self, request: Request) -> dict[str, Any]:
        root_path = root_path_of(request)
        path = root_path + (self.path or HOME) if self.path or root_path else "/"
        return {"path": path, "secure": True, "httponly": True, "samesite": "lax"}


# The secret of the browser's session, signed in or not.
SESSION = Cookie("docent_console", max_chars=128)
# Identifies a browser that signed in before, also after signing out. It grants nothing by itself.
DEVICE = Cookie("docent_device", kept_for=timedelta(days=365), max_chars=128)
# A pending sign-in at the identity provider.
ATTEMPT = Cookie("docent_attempt", PROVIDER, timedelta(minutes=10))
ID_TOKEN = Cookie("docent_id_token", SIGN_OUT)
FLASH = Cookie("docent_flash", kept_for=timedelta(minutes=1))


def new_secret() -> str:
    """A session secret for a browser that is not signed in, so that the sign-in form has a CSRF token too."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def id_token_of(request: Request) -> str | None:
    """The ID token for signing out at the identity provider; "" if it was too long to keep; None if the operator did
    not sign in there."""
    kept = ID_TOKEN.read(request)
    return kept.removeprefix(_NOT_KEPT) if kept else None


def set_id_token(request: Request, response: Response, id_token: str, kept_for: timedelta) -> None:
    kept = id_token if len(id_token) <= _MAX_ID_TOKEN_CHARS else _NOT_KEPT
    ID_TOKEN.set(request, response, kept, kept_for)


def csrf_token(secret: str) -> str:
    """The token of forms. It is not stored but derived from the session's secret, which other websites cannot read."""
    return hmac.new(secret.encode(), b"docent console form", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, token: str) -> bool:
    return bool(secret) and hmac.compare_digest(csrf_token(secret).encode(), token.encode())


def set_flash(request: Request, response: Response, tone: str, message: str) -> None:
    FLASH.set(request, response, quote(f"{tone}:{message[:_MAX_FLASH_CHARS]}", safe=""))


def flash_of(request: Request) -> tuple[str, str] | None:
    """(tone, message) of the notice that the previous page set; None without one."""
    tone, _, message = unquote(FLASH.read(request)).partition(":")
    return (tone, message[:_MAX_FLASH_CHARS]) if tone in _TONES and message else None
