"""An OAuth token endpoint, as an HttpCaller: https://www.rfc-editor.org/rfc/rfc6749"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from app.kit.token_client import TokenClient
from app.providers.http_caller import CallFailed, HttpReply

URL: Final = "https://login.example.com/oauth2/token"
CLIENT: Final = TokenClient(URL, "docent", refresh_token="refresh-0")


@dataclass
class TokenEndpoint:
    """Takes the refresh tokens `refresh-N` that it has issued, up to `issued`, which it replaces if `rotates`; and the
    client secret "s". `answer` is what it answers instead. `given` are the access tokens, `requests` what was sent."""

    rotates: bool = False
    issued: int = 0
    answer: HttpReply | None = None
    is_away: bool = False
    given: list[str] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        if self.is_away:
            raise CallFailed("nobody answers")
        assert (method, url, headers["Content-Type"]) == ("POST", URL, "application/x-www-form-urlencoded")
        sent = dict(parse_qsl((body or b"").decode()))
        self.requests.append(sent)
        if self.answer:
            return self.answer
        known = {f"refresh-{number}" for number in range(self.issued + 1)}
        is_right = {
            "refresh_token": sent.get("refresh_token") in known,
            "client_credentials": sent.get("client_secret") == "s" and "scope" in sent,
        }
        if not is_right[sent["grant_type"]]:
            refusal = {"error": "invalid_grant", "error_description": "AADSTS70008: The refresh token\r\nhas expired."}
            return HttpReply(400, json.dumps(refusal).encode())
        self.given.append(f"access-{len(self.given)}")
        made: dict[str, Any] = {"token_type": "Bearer", "access_token": self.given[-1], "expires_in": 3600}
        if self.rotates and "refresh_token" in sent:
            self.issued += 1
            made["refresh_token"] = f"refresh-{self.issued}"
        return HttpReply(200, json.dumps(made).encode())
