"""Signs and verifies visitor tokens, which identify a visitor's browser."""

import base64
import hmac
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import jwt
from pydantic import ValidationError

from app.agents.agent_rules import check_filter
from app.agents.api.retrieval_models import SearchFilterModel
from app.core.errors import InvalidInput, Unauthorized
from app.core.search_filter import SearchFilter
from app.core.text.turn_language import primary_subtag
from app.core.turn import VisitorSession
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord
from app.web.request_body import unique_keys
from app.web.validation_messages import invalid_input_of
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey

ALGORITHM = "HS256"  # tokens with another one are refused
ISSUER = "docent"
AUDIENCE = "docent-widget"
LIFETIME = timedelta(minutes=15)
KEYS_LAST = timedelta(seconds=5)
CLOCK_SKEW = timedelta(seconds=30)
MAX_TOKEN_CHARS = 6144  # with the longest filter
MIN_KEY_BYTES = 32

_REQUIRED = ("iss", "aud", "exp", "iat", "jti", "workspace", "agent", "visitor", "conversation", "origin")
_OPTIONAL = {"locale", "filter", "proof"}
_HEADER = {"alg", "typ", "kid"}
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
_RENEW = "Call /v1/widget/init again for a new one."
MAX_FILTER_BYTES: Final = 1000  # the filter is part of the token, which is a header of every call


@dataclass(frozen=True, slots=True)
class VisitorClaims:
    session: VisitorSession
    origin: str


@dataclass(frozen=True, slots=True)
class SignedToken:
    token: str
    expires_at: datetime


class VisitorTokens:
    """Keys come from the system of record and are cached for a few seconds, so that a rotation takes effect soon."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self._keys: list[SigningKey] = []
        self._keys_until: datetime | None = None

    async def sign(self, session: VisitorSession, origin: str) -> SignedToken:
        key = await self._newest_known_to_all()
        now = self._clock.now().replace(microsecond=0)
        expires_at = now + LIFETIME
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": int(now.timestamp()),
            "exp": int(expires_at.timestamp()),
            "jti": uuid4().hex,
            "workspace": str(session.workspace_id),
            "agent": str(session.agent_id),
            "visitor": str(session.visitor_id),
            "conversation": str(session.conversation_id),
            "origin": origin,
        }
        if session.locale:
            claims["locale"] = session.locale
        if not session.only.is_open:
            claims["filter"] = filter_text(session.only)
        if session.proof:
            claims["proof"] = session.proof
        token = jwt.encode(claims, key.secret, algorithm=ALGORITHM, headers={"kid": key.kid})
        return SignedToken(token, expires_at)

    async def verify(self, token: str) -> VisitorClaims:
        """The claims of a valid token. Raises Unauthorized."""
        key = await self._key_of(token)
        try:
            claims = jwt.decode(
                token,
                key.secret,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=ISSUER,
                # Times are checked below, by our own clock.
                options={"require": list(_REQUIRED), "verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
        except jwt.PyJWTError:
            raise _refused() from None
        if set(claims) - _OPTIONAL != set(_REQUIRED):  # we never write `nbf` or any other claim
            raise _refused()
        self._check_times(claims)
        return _parsed(claims)

    async def derived_keys(self, purpose: bytes) -> list[bytes]:
        """Keys for other temporary credentials of visitors: first the one to sign with, then the other valid ones."""
        newest, now = await self._newest_known_to_all(), self._clock.now()
        others = [key for key in await self._signing_keys() if key.is_for_visitors(now) and key.kid != newest.kid]
        return [hmac.digest(key.secret, purpose, "sha256") for key in (newest, *others)]

    async def _key_of(self, token: str) -> SigningKey:
        if len(token) > MAX_TOKEN_CHARS or not _COMPACT.fullmatch(token):
            raise _refused()
        header, _ = (_json(part) for part in token.split(".")[:2])
        if set(header) != _HEADER or header["alg"] != ALGORITHM or header["typ"] != "JWT":
            raise _refused()
        for key in await self._signing_keys():
            if key.kid == header["kid"] and key.is_for_visitors(self._clock.now()):
                return key
        raise _refused()

    async def _newest_known_to_all(self) -> SigningKey:
        """The newest key that is older than the caches of other processes, which may not know younger ones."""
        now = self._clock.now()
        keys = [key for key in await self._signing_keys() if key.is_for_visitors(now)]
        return next((key for key in keys if key.created_at + KEYS_LAST <= now), keys[-1])

    async def _signing_keys(self) -> list[SigningKey]:
        now = self._clock.now()
        if self._keys_until is None or now >= self._keys_until:
            # The very first call creates the first key, so it has to write.
            transaction = self._records.read if self._keys else self._records.write
            keys = await transaction(lambda tx: TokenRecords(tx).signing_keys())
            self._keys = [key for key in keys if len(key.secret) >= MIN_KEY_BYTES]
            self._keys_until = now + KEYS_LAST
        return self._keys

    def _check_times(self, claims: dict[str, Any]) -> None:
        issued, expires = claims["iat"], claims["exp"]
        if type(issued) is not int or type(expires) is not int:
            raise _refused()
        now = self._clock.now().timestamp()
        if expires <= now:
            raise Unauthorized(f"This visitor token has expired. {_RENEW}")
        if issued > now + CLOCK_SKEW.total_seconds() or expires - issued > LIFETIME.total_seconds():
            raise _refused()


def _json(part: str) -> dict[str, Any]:
    """The object in a part of a token. Refuses anything else, and JSON that parsers may read differently: duplicate
    names, unlimited nesting."""
    try:
        fields = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        raise _refused() from None
    if not isinstance(fields, dict):
        raise _refused()
    return fields


def _parsed(claims: dict[str, Any]) -> VisitorClaims:
    texts = [value for name, value in claims.items() if name not in ("exp", "iat")]
    if any(not isinstance(text, str) for text in texts):
        raise _refused()
    locale = claims.get("locale", "")
    if locale != primary_subtag(locale):
        raise _refused()
    try:
        session = VisitorSession(
            workspace_id=UUID(claims["workspace"]),
            agent_id=UUID(claims["agent"]),
            visitor_id=UUID(claims["visitor"]),
            conversation_id=UUID(claims["conversation"]),
            locale=locale,
            only=parsed_filter(claims["filter"]) if "filter" in claims else SearchFilter(),
            proof=claims.get("proof", ""),
        )
    except (ValueError, InvalidInput):
        raise _refused() from None
    return VisitorClaims(session, claims["origin"])


def _refused() -> Unauthorized:
    return Unauthorized(f"This visitor token is invalid. {_RENEW}")


def parsed_filter(text: str) -> SearchFilter:
    """The filter that a website's server signs for a visitor. `text` is a JSON object with the fields of a search
    filter. Raises InvalidInput, naming the field."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_FILTER_BYTES:
        raise InvalidInput("filter", f"This is too long. Use at most {MAX_FILTER_BYTES} bytes of UTF-8.")
    try:
        only = SearchFilterModel.model_validate_json(text).made(SearchFilter)
    except ValidationError as error:
        wrong = invalid_input_of(error)
        field = f"filter.{wrong.field}" if wrong.field else "filter"
        raise InvalidInput(field, str(wrong).removeprefix(f"{wrong.field}: ")) from None
    check_filter("filter", only)
    return only


def filter_text(only: SearchFilter) -> str:
    """The inverse of `parsed_filter`."""
    return SearchFilterModel.model_validate(only).model_dump_json(exclude_defaults=True)
