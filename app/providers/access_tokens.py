"""Access tokens for mail servers, by OAuth 2.0 (RFC 6749)."""

import json
import re
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from app.kit.clock import Clock
from app.kit.token_client import TokenClient
from app.providers.http_caller import CallFailed, HttpCaller

_HEADERS: Final = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,16384}")
_EARLY_SECONDS: Final = 60  # before a token expires, another one is got
_DEFAULT_SECONDS: Final = 300
_MOST_SECONDS: Final = 86_400
_MAX_REASON_CHARS: Final = 200


class NoAccessToken(Exception):
    """`str(error)` is for people."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """`client` has the newest refresh token: servers may replace it with each access token."""

    text: str = field(repr=False)
    client: TokenClient
    expires_at: datetime


class AccessTokens:
    """Keeps tokens in memory until they expire."""

    def __init__(self, caller: HttpCaller, clock: Clock) -> None:
        self._caller = caller
        self._clock = clock
        self._kept: dict[TokenClient, AccessToken] = {}
        self._latest: dict[TokenClient, TokenClient] = {}

    async def token(self, client: TokenClient) -> AccessToken:
        """Raises NoAccessToken."""
        now = self._clock.now()
        self._kept = {each: kept for each, kept in self._kept.items() if now < kept.expires_at}
        if client not in self._kept:
            token = await self._new(client, now)
            self._kept |= {client: token, token.client: token}
        return self._kept[client]

    async def text(self, client: TokenClient) -> str:
        """For a caller who always has the first refresh token: the latest one is used. Raises NoAccessToken."""
        token = await self.token(self._latest.get(client, client))
        self._latest[client] = token.client
        return token.text

    async def _new(self, client: TokenClient, now: datetime) -> AccessToken:
        sent = {name: value for name, value in asdict(client).items() if value and name != "url"}
        sent["grant_type"] = "refresh_token" if client.refresh_token else "client_credentials"
        host = urlsplit(client.url).hostname
        try:
            reply = await self._caller.call("POST", client.url, _HEADERS, urlencode(sent).encode())
            answer = json.loads(reply.body)
        except CallFailed as error:
            raise NoAccessToken(f"{host} gave no access token: {error}") from error
        except (ValueError, RecursionError):
            answer = None
        text, refresh_token = _text(answer, "access_token"), _text(answer, "refresh_token")
        if reply.status != 200 or not _TOKEN.fullmatch(text):
            reason = _text(answer, "error_description") or _text(answer, "error") or f"it answered {reply.status}"
            raise NoAccessToken(f"{host} gave no access token: {' '.join(reason.split())[:_MAX_REASON_CHARS]}")
        if _TOKEN.fullmatch(refresh_token) and client.refresh_token:
            client = replace(client, refresh_token=refresh_token)
        return AccessToken(text, client, now + timedelta(seconds=_seconds(answer) - _EARLY_SECONDS))


def _text(answer: Any, name: str) -> str:
    found = answer.get(name) if isinstance(answer, dict) else None
    return found if isinstance(found, str) else ""


def _seconds(answer: Any) -> int:
    try:
        return max(0, min(int(answer["expires_in"]), _MOST_SECONDS))
    except (KeyError, TypeError, ValueError, OverflowError):
        return _DEFAULT_SECONDS
