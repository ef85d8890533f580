"""An OpenID provider with which people sign in (OpenID Connect Core 1.0): authorization code with PKCE (RFC 7636).

authlib is imported with the first call: it is in the extra `oidc`, and most processes never use it.
"""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

import httpx2

from app.core.errors import Unauthorized, Unavailable
from app.kit.clock import Clock
from app.providers.identity.oidc_client import OidcClient, is_trusted_address
from app.providers.identity.published_keys import ALGORITHMS, CLOCK_SKEW, Claims, PublishedKeys

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client


_TIMEOUT_SECONDS: Final = 10.0
_READ_AGAIN_AFTER: Final = timedelta(hours=1)
_NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sign-in in progress, which only one browser and we know; nobody else learns `verifier` before the end."""

    redirect_uri: str
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signed in, according to the provider. `subject` is permanent at this issuer; an e-mail address is not."""

    issuer: str
    subject: str
    claims: Claims
    id_token: str = field(default="", repr=False)


class OidcProvider:
    """Raises Unavailable if the provider does not respond, or not as a provider does."""

    def __init__(self, client: OidcClient, clock: Clock, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._client = client
        self._clock = clock
        self._transport = transport
        self._keys = PublishedKeys(self._read_keys, clock)
        self._metadata: Mapping[str, Any] = {}
        self._metadata_read_at: datetime | None = None

    @property
    def issuer(self) -> str:
        return self._client.issuer

    async def authorization_url(self, attempt: Attempt) -> str:
        """The address to which the browser is sent to sign in."""
        metadata = await self._described()
        async with self._oauth(metadata) as oauth:
            url, _ = oauth.create_authorization_url(
                metadata["authorization_endpoint"],
                state=attempt.state,
                code_verifier=attempt.verifier,
                redirect_uri=attempt.redirect_uri,
                nonce=attempt.nonce,
            )
        return str(url)

    async def identity(self, attempt: Attempt, code: str, issuer: str = "") -> Identity:
        """The identity behind the code, which can be used once. `issuer` is the one in the response (RFC 9207), "" if
        it named none. Raises Unauthorized with the reason."""
        metadata = await self._described()
        named = issuer or (None if metadata.get("authorization_response_iss_parameter_supported") else self.issuer)
        if named != self.issuer:
            raise Unauthorized("The answer is of another issuer.")
        token = await self._exchanged(metadata, attempt, code)
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise Unauthorized("The provider sent no ID token.")
        claims = await self._checked(id_token, attempt.nonce, token.get("access_token"))
        if not isinstance(claims.get("sub"), str) or not claims["sub"]:
            raise Unauthorized("The token names nobody.")
        more = await self._user_info(metadata, token.get("access_token"), claims["sub"])
        return Identity(self.issuer, claims["sub"], {**more, **claims}, id_token)

    async def sign_out_url(self, id_token: str, back_to: str) -> str | None:
        """The address to which the browser is sent to sign out (OpenID Connect RP-Initiated Logout 1.0); None if the
        provider has none. Without an `id_token` the provider asks the person for confirmation."""
        endpoint = (await self._described()).get("end_session_endpoint")
        if not isinstance(endpoint, str) or not is_trusted_address(endpoint):
            return None
        query = {"client_id": self._client.client_id, "post_logout_redirect_uri": back_to}
        if id_token:
            query["id_token_hint"] = id_token
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    async def check(self) -> str:
        """A one-line description of the provider, read now."""
        self._metadata_read_at = None
        metadata = await self._described()
        keys = await self._keys.read()
        if not keys:
            raise Unavailable(f"{self.issuer} publishes no key that can sign.")
        logs_out = "signs out" if metadata.get("end_session_endpoint") else "has no sign-out of its own"
        return f"{self.issuer} answers, publishes {keys} {'key' if keys == 1 else 'keys'} and {logs_out}"

    async def _described(self) -> Mapping[str, Any]:
        """The provider's metadata (OpenID Connect Discovery 1.0), at most an hour old."""
        now = self._clock.now()
        if self._metadata_read_at is None or now - self._metadata_read_at >= _READ_AGAIN_AFTER:
            self._metadata = self._described_by(
                await self._read(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            )
            self._metadata_read_at = now
        return self._metadata

    def _described_by(self, body: bytes) -> Mapping[str, Any]:
        try:
            metadata = json.loads(body)
        except (ValueError, RecursionError):
            metadata = None
        if not isinstance(metadata, dict):
            raise Unavailable(f"{self.issuer} returned no valid description: it is not a JSON object.")
        if metadata.get("issuer") != self.issuer:
            raise Unavailable(f"The provider says that its issuer is {metadata.get('issuer')!r}, not {self.issuer!r}.")
        for name in _NEEDED:
            if not isinstance(metadata.get(name), str) or not is_trusted_address(metadata[name]):
                raise Unavailable(f"{self.issuer} names no {name} that begins with https://.")
        methods = metadata.get("code_challenge_methods_supported")
        if isinstance(methods, list) and "S256" not in methods:
            raise Unavailable(f"{self.issuer} does not know PKCE by S256.")
        return metadata

    async def _exchanged(self, metadata: Mapping[str, Any], attempt: Attempt, code: str) -> Mapping[str, Any]:
        from authlib.common.errors import AuthlibBaseError

        try:
            async with self._oauth(metadata) as oauth:
                return dict(
                    await oauth.fetch_token(
                        metadata["token_endpoint"],
                        grant_type="authorization_code",
                        code=code,
                        code_verifier=attempt.verifier,
                        redirect_uri=attempt.redirect_uri,
                    )
                )
        except AuthlibBaseError as error:
            raise Unauthorized(f"The provider refused the code: {_plain(error.error)}.") from None
        except (httpx2.HTTPError, ValueError) as error:
            raise Unavailable(f"{self.issuer} does not answer: {type(error).__name__}.") from error

    async def _checked(self, id_token: str, nonce: str, access_token: object) -> Claims:
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        wanted = self._algorithms()
        header, claims = await self._keys.claims(
            id_token, issuer=self.issuer, audience=self._client.client_id, algorithms=wanted
        )
        given = claims.get("nonce")
        if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
            raise Unauthorized("The token belongs to another sign-in: its nonce differs.")
        params = {"client_id": self._client.client_id, "access_token": access_token}
        try:
            CodeIDToken(dict(claims), dict(header), params=params).validate(
                now=int(self._clock.now().timestamp()), leeway=int(CLOCK_SKEW.total_seconds())
            )
        except JoseError as error:
            raise Unauthorized(f"The token is not valid: {_plain(error.error)}.") from None
        return claims

    def _algorithms(self) -> list[str]:
        """The provider's signing algorithms among those that we accept."""
        supported = self._metadata.get("id_token_signing_alg_values_supported")
        return [name for name in ALGORITHMS if not isinstance(supported, list) or name in supported]

    async def _user_info(self, metadata: Mapping[str, Any], access_token: object, subject: str) -> Claims:
        """The claims of the provider's UserInfo endpoint, if it has one."""
        endpoint = metadata.get("userinfo_endpoint")
        if not isinstance(endpoint, str) or not isinstance(access_token, str) or not is_trusted_address(endpoint):
            return {}
        body = await self._read(endpoint, {"Authorization": f"Bearer {access_token}"})
        try:
            claims = json.loads(body)
        except (ValueError, RecursionError):
            return {}  # signed or encrypted, if the client is registered for that
        if not isinstance(claims, dict) or claims.get("sub") != subject:
            raise Unauthorized("The provider's user info is about another person than its token.")
        return claims

    async def _read_keys(self) -> bytes:
        return await self._read((await self._described())["jwks_uri"])

    async def _read(self, url: str, headers: Mapping[str, str] | None = None) -> bytes:
        try:
            async with httpx2.AsyncClient(transport=self._transport, timeout=_TIMEOUT_SECONDS) as http:
                response = await http.get(url, headers={"Accept": "application/json", **(headers or {})})
                response.raise_for_status()
                return response.content
        except httpx2.HTTPStatusError as error:
            raise Unavailable(f"{self.issuer} does not answer: status {error.response.status_code}.") from error
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self.issuer} does not answer: {type(error).__name__}.") from error

    def _oauth(self, metadata: Mapping[str, Any]) -> "AsyncOAuth2Client":
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        by_post = "client_secret_basic" not in methods and "client_secret_post" in methods
        secret = self._client.client_secret
        return AsyncOAuth2Client(
            self._client.client_id,
            secret or None,
            token_endpoint_auth_method=("client_secret_post" if by_post else "client_secret_basic")
            if secret
            else "none",
            scope=self._client.scopes,
            code_challenge_method="S256",
            transport=self._transport,
            timeout=_TIMEOUT_SECONDS,
        )


def _plain(value: object) -> str:
    """The provider's text if it is a plain word, else "unreadable"."""
    text = str(value)[:60]
    return text if text.replace("_", "").isalnum() and text.isascii() else "unreadable"
