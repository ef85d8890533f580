"""JSON Web Tokens (RFC 7519) of an issuer that publishes its keys as a JWK set (RFC 7517)."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
import jwt
import structlog

from app.core.errors import Unauthorized, Unavailable
from app.kit.clock import Clock

log = structlog.get_logger(__name__)

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by key pairs only: "none" is no signature, and the key of an HMAC would be public."""
CLOCK_SKEW: Final = timedelta(seconds=60)

_MAX_TOKEN_CHARS: Final = 16_384
_MAX_KEYS: Final = 100
_READ_AGAIN_AFTER: Final = timedelta(hours=1)
_READ_AGAIN_AT_MOST_EVERY: Final = timedelta(minutes=1)
_TRY_AGAIN_AFTER: Final = timedelta(seconds=10)  # if none are known yet
_KEPT_FOR_AT_MOST: Final = timedelta(days=1)
_REQUIRED: Final = ("iss", "aud", "exp", "sub")

Claims = Mapping[str, Any]
ReadJson = Callable[[], Awaitable[bytes]]


class PublishedKeys:
    """Reads an issuer's keys and keeps them for an hour. An unknown key makes it read them again, at most once a
    minute, because issuers rotate keys without notice. If they cannot be read, the known ones stay valid for a day."""

    def __init__(self, read: ReadJson, clock: Clock) -> None:
        """`read` returns the JWK set as it is published; it raises Unavailable."""
        self._read = read
        self._clock = clock
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._read_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._turn = anyio.Lock()

    async def claims(
        self, token: str, *, issuer: str, audience: str, algorithms: Sequence[str] = ALGORITHMS
    ) -> tuple[Mapping[str, Any], Claims]:
        """Check a token; return its header and claims. Raises Unauthorized with the reason, and Unavailable if the
        issuer's keys cannot be read."""
        header = _header_of(token, algorithms)
        key = _chosen(await self._known(None), header) or _chosen(await self._known(header.get("kid", "")), header)
        if key is None:
            raise Unauthorized("The token is signed by a key that its issuer does not publish.")
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[header["alg"]],
                audience=audience,
                issuer=issuer,
                # Times are checked below, by our own clock.
                options={"require": list(_REQUIRED), "verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
        except jwt.InvalidIssuerError:
            raise Unauthorized("The token is of another issuer.") from None
        except jwt.InvalidAudienceError:
            raise Unauthorized("The token is for another application: its audience differs.") from None
        except jwt.MissingRequiredClaimError as error:
            raise Unauthorized(f"The token lacks {error.claim}.") from None
        except jwt.InvalidSignatureError:
            raise Unauthorized("The token's signature is wrong.") from None
        except (jwt.PyJWTError, ValueError):
            raise Unauthorized("The token cannot be read.") from None
        self._check_times(claims)
        return header, claims

    async def read(self) -> int:
        """Read the keys now; return their number. Raises Unavailable."""
        async with self._turn:
            await self._read_now()
        return len(self._keys)

    async def _known(self, missing: str | None) -> Sequence[Mapping[str, Any]]:
        """The keys, read again if that is due or the key with the id `missing` was not among them."""
        async with self._turn:
            now = self._clock.now()
            is_due = missing is not None or self._read_at is None or now - self._read_at >= _READ_AGAIN_AFTER
            pause = _TRY_AGAIN_AFTER if self._read_at is None else _READ_AGAIN_AT_MOST_EVERY
            was_tried = self._tried_at is not None and now - self._tried_at < pause
            if is_due and not was_tried:
                try:
                    await self._read_now()
                except Unavailable as error:
                    if self._read_at is None:
                        raise
                    log.warning("identity.keys_not_read", reason=str(error))
            if self._read_at is None or now - self._read_at >= _KEPT_FOR_AT_MOST:
                raise Unavailable("The issuer's keys could not be read a moment ago.")
            return self._keys

    async def _read_now(self) -> None:
        self._tried_at = self._clock.now()
        read = await self._read()
        try:
            found = json.loads(read)["keys"]
            keys = [key for key in found[:_MAX_KEYS] if isinstance(key, dict)]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Unavailable("The issuer's keys cannot be read: what it publishes is not a JWK set.") from None
        self._keys = [key for key in keys if key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig"]
        self._read_at = self._tried_at

    def _check_times(self, claims: Claims) -> None:
        now = self._clock.now().timestamp()
        skew = CLOCK_SKEW.total_seconds()
        times = {name: claims[name] for name in ("exp", "iat", "nbf") if name in claims}
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in times.values()):
            raise Unauthorized("The token's times cannot be read.")
        if times["exp"] <= now - skew:
            raise Unauthorized("The token has expired.")
        if times.get("iat", now) > now + skew or times.get("nbf", now) > now + skew:
            raise Unauthorized("The token is not valid yet: the clock of its issuer or of this machine is wrong.")


def _header_of(token: str, algorithms: Sequence[str]) -> Mapping[str, Any]:
    if len(token) > _MAX_TOKEN_CHARS:
        raise Unauthorized("The token is too long.")
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthorized("The token cannot be read.") from None
    if header.get("alg") not in algorithms:
        raise Unauthorized(f"The token is signed in a way that is not accepted. Accepted: {', '.join(algorithms)}.")
    return header


def _chosen(keys: Sequence[Mapping[str, Any]], header: Mapping[str, Any]) -> jwt.PyJWK | None:
    """The key with the header's id that can have made the signature; without an id, the only key that can."""
    kid = header.get("kid")
    fitting = [key for key in keys if kid is None or key.get("kid") == kid]
    found = [key for key in (_usable(each, header["alg"]) for each in fitting) if key is not None]
    return found[0] if len(found) == 1 or (found and kid is not None) else None


def _usable(key: Mapping[str, Any], algorithm: str) -> jwt.PyJWK | None:
    """The key; None if it is of another kind than the algorithm's."""
    kind = {"R": "RSA", "P": "RSA", "E": "EC"}[algorithm[0]] if algorithm != "EdDSA" else "OKP"
    if key.get("kty") != kind or key.get("alg", algorithm) != algorithm:
        return None
    try:
        return jwt.PyJWK(dict(key), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
