"""An OpenID provider in memory, that says whatever a test has it say."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import jwt
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from app.kit.clock import Clock

ISSUER = "https://id.example.com"
CLIENT_ID = "docent"
Json = dict[str, Any]


@dataclass
class OidcDouble(httpx2.AsyncBaseTransport):
    """`person` is who signs in next. `altered` are claims of the next tokens that differ, None for those that are left
    out; `forge`, where it is set, makes the token of its claims. `metadata` is what it says of itself beside what it
    must; `asked` are the paths that were asked for."""

    clock: Clock
    person: Json = field(default_factory=lambda: {"sub": "ann", "email": "ann@example.com", "groups": ["staff"]})
    altered: Json = field(default_factory=dict)
    forge: Callable[[Json], str] | None = None
    metadata: Json = field(default_factory=dict)
    is_away: bool = False
    asked: list[str] = field(default_factory=list)
    key: RSAPrivateKey = field(default_factory=lambda: generate_private_key(65537, 2048))
    kid: str = "first"
    codes: dict[str, Json] = field(default_factory=dict)

    def let_in(self, authorization_url: str, **more: str) -> dict[str, str]:
        """What the person's browser is sent back with, once they have signed in there."""
        query = dict(parse_qsl(urlsplit(authorization_url).query))
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return {"code": code, "state": query["state"], "iss": ISSUER, **more}

    def signed(self, claims: Json) -> str:
        if self.forge is not None:
            return self.forge(claims)
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": self.kid})

    def claims(self, nonce: str) -> Json:
        now = int(self.clock.now().timestamp())
        found = {"iss": ISSUER, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce, **self.person}
        return {name: value for name, value in (found | self.altered).items() if value is not None}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self.is_away:
            raise httpx2.ConnectError("away")
        self.asked.append(request.url.path)
        match request.url.path:
            case "/.well-known/openid-configuration":
                return httpx2.Response(200, json=self._described())
            case "/keys":
                public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
                return httpx2.Response(200, json={"keys": [{**public, "kid": self.kid, "use": "sig"}]})
            case "/token":
                given = {name: value for name, [value] in parse_qs((await request.aread()).decode()).items()}
                return self._exchanged(given)
        return httpx2.Response(404)

    def _described(self) -> Json:
        return {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
            **self.metadata,
        }

    def _exchanged(self, given: Json) -> httpx2.Response:
        """A code is good once, for who holds the verifier."""
        asked = self.codes.pop(given["code"], None)
        if asked is None or create_s256_code_challenge(given["code_verifier"]) != asked["code_challenge"]:
            return httpx2.Response(400, json={"error": "invalid_grant"})
        token = self.signed(self.claims(asked["nonce"]))
        return httpx2.Response(200, json={"access_token": "opaque", "token_type": "Bearer", "id_token": token})
