"""The console's cookies, and the token with which a form proves that it came from one of its pages."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from app.web.console.page import HOME
from app.web.middleware.public_url import root_path_of

_SESSION, _DEVICE, _FLASH = "docent_console", "docent_device", "docent_flash"
_ATTEMPT, _ID_TOKEN = "docent_attempt", "docent_id_token"
PROVIDER, SIGN_OUT = "/console/sign-in/provider", "/console/sign-out"
CSRF_FIELD = "csrf_token"

_SECRET_BYTES = 32
_MAX_SECRET_CHARS = 128
_DEVICE_KEPT_FOR = timedelta(days=365)
_FLASH_SECONDS = 60
_ATTEMPT_SECONDS = 600
_MAX_ID_TOKEN_CHARS = 3500  # browsers limit a cookie to 4096 bytes
_NOT_KEPT = "-"
_MAX_FLASH_CHARS = 500
_TONES = ("good", "bad")


@dataclass(frozen=True, slots=True)
class _Cookie:
    """Only sent over TLS (or on the loopback), and invisible to scripts.

    `__Host-` cookies belong to this host alone, and no other host can set them, but they apply to all its paths. If
    Docent has a prefix, other paths belong to other applications, which must not receive our cookies.
    """

    name: str
    path: str

    @classmethod
    def of(cls, request: Request, name: str) -> "_Cookie":
        root_path = root_path_of(request)
        return cls(f"__Secure-{name}", f"{root_path}{HOME}") if root_path else cls(f"__Host-{name}", "/")

    @classmethod
    def below(cls, request: Request, name: str, path: str) -> "_Cookie":
        """Only sent to that path of ours and those below it."""
        return cls(f"__Secure-{name}", root_path_of(request) + path)

    def set(self, response: Response, value: str, max_age: int | None) -> None:
        response.set_cookie(
            self.name, value, max_age=max_age, path=self.path, secure=True, httponly=True, samesite="lax"
        )

    def forget(self, response: Response) -> None:
        response.delete_cookie(self.name, path=self.path, secure=True, httponly=True, samesite="lax")


def secret_of(request: Request) -> str:
    """The browser's secret, signed in or not; "" without one."""
    found = request.cookies.get(_Cookie.of(request, _SESSION).name, "")
    return found if len(found) <= _MAX_SECRET_CHARS else ""


def new_secret() -> str:
    """For a browser that is not signed in yet, so that the sign-in form has a token as well."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def set_secret(request: Request, response: Response, secret: str, kept_for: timedelta | None = None) -> None:
    """Kept until the browser is closed, or for that long."""
    seconds = None if kept_for is None else int(kept_for.total_seconds())
    _Cookie.of(request, _SESSION).set(response, secret, seconds)


def forget_secret(request: Request, response: Response) -> None:
    _Cookie.of(request, _SESSION).forget(response)


def says_secret(request: Request, response: Response) -> bool:
    """Whether the response sets or deletes the session's cookie."""
    name = _Cookie.of(request, _SESSION).name
    return any(cookie.startswith(f"{name}=") for cookie in response.headers.getlist("set-cookie"))


def device_of(request: Request) -> str:
    """The token of a browser that signed in before, or ""."""
    found = request.cookies.get(_Cookie.of(request, _DEVICE).name, "")
    return found if len(found) <= _MAX_SECRET_CHARS else ""


def set_device(request: Request, response: Response, device: str) -> None:
    """Kept after signing out: it grants nothing by itself."""
    _Cookie.of(request, _DEVICE).set(response, device, int(_DEVICE_KEPT_FOR.total_seconds()))


def attempt_of(request: Request) -> str:
    """The browser's pending sign-in at the identity provider, or ""."""
    return request.cookies.get(_Cookie.below(request, _ATTEMPT, PROVIDER).name, "")


def set_attempt(request: Request, response: Response, attempt: str) -> None:
    _Cookie.below(request, _ATTEMPT, PROVIDER).set(response, attempt, _ATTEMPT_SECONDS)


def forget_attempt(request: Request, response: Response) -> None:
    _Cookie.below(request, _ATTEMPT, PROVIDER).forget(response)


def id_token_of(request: Request) -> str | None:
    """The ID token that the provider wants for signing out there; "" if it was too long to keep; None if nobody signed
    in there."""
    found = request.cookies.get(_Cookie.below(request, _ID_TOKEN, SIGN_OUT).name)
    return found if found is None else found.removeprefix(_NOT_KEPT)


def set_id_token(request: Request, response: Response, id_token: str, kept_for: timedelta) -> None:
    kept = id_token if len(id_token) <= _MAX_ID_TOKEN_CHARS else _NOT_KEPT
    _Cookie.below(request, _ID_TOKEN, SIGN_OUT).set(response, kept, int(kept_for.total_seconds()))


def forget_id_token(request: Request, response: Response) -> None:
    _Cookie.below(request, _ID_TOKEN, SIGN_OUT).forget(response)


def csrf_token(secret: str) -> str:
    """Derived from the session's secret, which no other page can read, so it need not be stored."""
    return hmac.new(secret.encode(), b"docent console form", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, token: str) -> bool:
    return bool(secret) and hmac.compare_digest(csrf_token(secret).encode(), token.encode())


def set_flash(request: Request, response: Response, tone: str, message: str) -> None:
    value = quote(f"{tone}:{message[:_MAX_FLASH_CHARS]}", safe="")
    _Cookie.of(request, _FLASH).set(response, value, _FLASH_SECONDS)


def flash_of(request: Request) -> tuple[str, str] | None:
    """Tone and message from the page before."""
    tone, _, message = unquote(request.cookies.get(_Cookie.of(request, _FLASH).name, "")).partition(":")
    return (tone, message[:_MAX_FLASH_CHARS]) if tone in _TONES and message else None


def forget_flash(request: Request, response: Response) -> None:
    _Cookie.of(request, _FLASH).forget(response)
