"""The cookies of the console, and the token by which a form proves that it came from one of its pages."""

import hashlib
import hmac
import secrets
from datetime import timedelta
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

# `__Host-` cookies are kept for this host alone, over TLS alone (or on the loopback), and no other host can set them.
SESSION_COOKIE = "__Host-docent_console"
DEVICE_COOKIE = "__Host-docent_device"
FLASH_COOKIE = "__Host-docent_flash"
CSRF_FIELD = "csrf_token"

_SECRET_BYTES = 32
_MAX_SECRET_CHARS = 128
_DEVICE_KEPT_FOR = timedelta(days=365)
_FLASH_SECONDS = 60
_MAX_FLASH_CHARS = 500
_TONES = ("good", "bad")


def secret_of(request: Request) -> str:
    """What the browser holds, signed in or not; "" when it holds nothing."""
    found = request.cookies.get(SESSION_COOKIE, "")
    return found if len(found) <= _MAX_SECRET_CHARS else ""


def new_secret() -> str:
    """For a browser that is not signed in yet, so that the form of the sign-in has its token as well."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def set_secret(response: Response, secret: str, kept_for: timedelta | None = None) -> None:
    """Until the browser is closed, or for that long."""
    seconds = None if kept_for is None else int(kept_for.total_seconds())
    response.set_cookie(SESSION_COOKIE, secret, max_age=seconds, secure=True, httponly=True, samesite="lax")


def forget_secret(response: Response) -> None:
    response.delete_cookie(SESSION_COOKIE, secure=True, httponly=True, samesite="lax")


def says_secret(response: Response) -> bool:
    """Whether it sets or forgets the session's cookie."""
    return any(cookie.startswith(f"{SESSION_COOKIE}=") for cookie in response.headers.getlist("set-cookie"))


def device_of(request: Request) -> str:
    """The token of a browser that signed in before; "" when it holds none."""
    found = request.cookies.get(DEVICE_COOKIE, "")
    return found if len(found) <= _MAX_SECRET_CHARS else ""


def set_device(response: Response, device: str) -> None:
    """Kept when one signs out: it opens nothing by itself."""
    seconds = int(_DEVICE_KEPT_FOR.total_seconds())
    response.set_cookie(DEVICE_COOKIE, device, max_age=seconds, secure=True, httponly=True, samesite="lax")


def csrf_token(secret: str) -> str:
    """Drawn from the session's secret, which no other page can read: it needs no place of its own."""
    return hmac.new(secret.encode(), b"docent console form", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, token: str) -> bool:
    return bool(secret) and hmac.compare_digest(csrf_token(secret).encode(), token.encode())


def set_flash(response: Response, tone: str, message: str) -> None:
    value = quote(f"{tone}:{message[:_MAX_FLASH_CHARS]}", safe="")
    response.set_cookie(FLASH_COOKIE, value, max_age=_FLASH_SECONDS, secure=True, httponly=True, samesite="lax")


def flash_of(request: Request) -> tuple[str, str] | None:
    """Tone and message that the page before left."""
    tone, _, message = unquote(request.cookies.get(FLASH_COOKIE, "")).partition(":")
    return (tone, message[:_MAX_FLASH_CHARS]) if tone in _TONES and message else None


def forget_flash(response: Response) -> None:
    response.delete_cookie(FLASH_COOKIE, secure=True, httponly=True, samesite="lax")
