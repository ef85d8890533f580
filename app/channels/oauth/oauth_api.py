"""Lets assistants that take no token find out how to get one, register themselves, and exchange a code for it."""

import json
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.agents.records import AgentRecords
from app.channels.oauth.grant import (
    MAX_CLIENT_NAME_CHARS,
    MAX_REDIRECT_URIS,
    OPERATORS,
    TOKEN_DAYS,
    Client,
    is_redirect_uri,
    resource_path,
)
from app.channels.oauth.grants import Grants
from app.core.actor import ASK, PROPOSE, READ
from app.core.text.untrusted_text import without_controls
from app.store.system_of_record import SystemOfRecord
from app.web.access import CountedAddress, everyone
from app.web.endpoint import Api, Call, RefusalShape, get, post
from app.web.errors import STATUS_OF_CODE, Problem
from app.web.middleware.public_url import base_url_of, path_below
from app.web.model import Model
from app.web.request_body import check_json, read_body

PROTECTED: Final = "/.well-known/oauth-protected-resource"
AUTHORIZE: Final = "/console/connect"
_MAX_BYTES: Final = 16 * 1024
_ERROR: Final = "Refused: invalid_request or another error of OAuth."
_CODES: Final = {"rate_limited": "temporarily_unavailable", "internal": "server_error"}
_counted = CountedAddress("oauth", lambda limits: limits.inits_per_address, ("rate_limited",))


class ProtectedResourceOut(Model):
    """RFC 9728."""

    resource: str
    authorization_servers: tuple[str, ...]
    scopes_supported: tuple[str, ...]
    bearer_methods_supported: tuple[str, ...] = ("header",)


class AuthorizationServerOut(Model):
    """RFC 8414."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    scopes_supported: tuple[str, ...] = (ASK, READ, PROPOSE)
    response_types_supported: tuple[str, ...] = ("code",)
    grant_types_supported: tuple[str, ...] = ("authorization_code",)
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("none",)
    code_challenge_methods_supported: tuple[str, ...] = ("S256",)
    authorization_response_iss_parameter_supported: bool = True


class ClientOut(Model):
    """RFC 7591."""

    client_id: str
    client_name: str
    redirect_uris: tuple[str, ...]
    token_endpoint_auth_method: str = "none"  # noqa: S105
    grant_types: tuple[str, ...] = ("authorization_code",)
    response_types: tuple[str, ...] = ("code",)


class TokenOut(Model):
    access_token: str
    token_type: str = "Bearer"  # noqa: S105
    expires_in: int = Field(description="Seconds.")
    scope: str


class OAuthErrorOut(Model):
    error: str
    error_description: str


def _code(code: str) -> str:
    return _CODES.get(code, "invalid_request")


def _status(code: str) -> int:
    """RFC 6749, section 5.2: what is wrong with a request is a 400."""
    return 400 if STATUS_OF_CODE[code] == 422 else STATUS_OF_CODE[code]


def _error(code: str, message: str, status: int = 400) -> Response:
    error = OAuthErrorOut(error=code, error_description=message)
    return JSONResponse(error.model_dump(), status, {"Cache-Control": "no-store"})


def _refused(problem: Problem) -> Response:
    response = _error(_code(problem.code), problem.message, _status(problem.code))
    response.headers.update(problem.headers)
    return response


OAUTH_REFUSALS: Final = RefusalShape(_refused, _status, _code, OAuthErrorOut)


class OAuthApi(Api):
    tag = "MCP"
    _records: SystemOfRecord
    _grants: Grants

    @get(f"{PROTECTED}/mcp", "Where to get a token for the operators' tools (RFC 9728)", access=everyone)
    async def describe_operators_resource(self, call: Call[None, None]) -> ProtectedResourceOut:
        return _resource(call.request, OPERATORS, (READ, PROPOSE))

    @get(f"{PROTECTED}/mcp/{{agent_id}}", "Where to get a token for an agent's tools (RFC 9728)", access=everyone)
    async def describe_agents_resource(self, call: Call[None, None]) -> ProtectedResourceOut:
        agent_id = call.path_id("agent_id")
        await self._records.of_agent(agent_id).read(lambda tx: AgentRecords(tx).live(agent_id))
        return _resource(call.request, f"{OPERATORS}/{agent_id}", (ASK,))

    @get("/.well-known/oauth-authorization-server", "How to get a token (RFC 8414)", access=everyone)
    async def describe_authorization_server(self, call: Call[None, None]) -> AuthorizationServerOut:
        base = base_url_of(call.request)
        return AuthorizationServerOut(
            issuer=base,
            authorization_endpoint=base + AUTHORIZE,
            token_endpoint=f"{base}/oauth/token",
            registration_endpoint=f"{base}/oauth/register",
        )

    @post(
        "/oauth/register",
        "Register an assistant, which nobody needs to know beforehand (RFC 7591)",
        access=_counted,
        text_body="application/json",
        status=201,
        max_body_bytes=_MAX_BYTES,
        codes=("too_large", "malformed_json", "unsupported_media_type"),
        other_statuses={400: _ERROR},
        refusals=OAUTH_REFUSALS,
        response_model=ClientOut,
    )
    async def register_client(self, call: Call[None, None]) -> Response:
        body = await read_body(call.request, _MAX_BYTES)
        check_json(call.request, body)
        metadata = json.loads(body)
        uris = metadata.get("redirect_uris") if isinstance(metadata, dict) else None
        if not isinstance(uris, list) or not 1 <= len(uris) <= MAX_REDIRECT_URIS or not all(map(_is_uri, uris)):
            wanted = f"Send 1 to {MAX_REDIRECT_URIS} redirect_uris: https, http on this machine, or your own scheme."
            return _error("invalid_redirect_uri", wanted)
        name = " ".join(without_controls(str(metadata.get("client_name") or "")).split())[:MAX_CLIENT_NAME_CHARS]
        client = Client(name or "An assistant", tuple(uris))
        made = ClientOut(
            client_id=await self._grants.register(client), client_name=client.name, redirect_uris=client.redirect_uris
        )
        return _uncached(made, 201)

    @post(
        "/oauth/token",
        "Exchange a code for an API token that is valid for one address",
        access=_counted,
        text_body="application/x-www-form-urlencoded",
        max_body_bytes=_MAX_BYTES,
        codes=("too_large",),
        other_statuses={400: _ERROR, 401: _ERROR},
        refusals=OAUTH_REFUSALS,
        response_model=TokenOut,
    )
    async def exchange_code(self, call: Call[None, None]) -> Response:
        body = await read_body(call.request, _MAX_BYTES)
        pairs = parse_qsl(body.decode("utf-8", "replace"))
        fields = dict(pairs)
        if len(fields) != len(pairs):
            return _error("invalid_request", "A parameter appears twice.")
        if fields.get("grant_type") != "authorization_code":
            return _error("unsupported_grant_type", "Send grant_type=authorization_code.")
        client_id = fields.get("client_id", "")
        if await self._grants.client(client_id) is None:
            return _error("invalid_client", "This client_id is unknown or too old. Register again.", 401)
        code, uri, verifier = (fields.get(name, "") for name in ("code", "redirect_uri", "code_verifier"))
        named = fields.get("resource")
        resource = (resource_path(named, base_url_of(call.request)) or "") if named else None
        exchanged = await self._grants.exchange(code, client_id, uri, verifier, resource)
        if exchanged is None:
            return _error("invalid_grant", "The code is not this client's, has expired or was used. Ask for a new one.")
        issued, grant = exchanged
        made = TokenOut(access_token=issued.token, expires_in=TOKEN_DAYS * 86_400, scope=" ".join(grant.scopes))
        return _uncached(made)


def challenge(request: Request) -> str:
    """For a caller without a valid token: where it finds out how to get one for that path."""
    return f'Bearer resource_metadata="{base_url_of(request)}{PROTECTED}{quote(path_below(request.scope))}"'


def _resource(request: Request, path: str, scopes: tuple[str, ...]) -> ProtectedResourceOut:
    base = base_url_of(request)
    return ProtectedResourceOut(resource=base + path, authorization_servers=(base,), scopes_supported=scopes)


def _is_uri(value: Any) -> bool:
    return isinstance(value, str) and is_redirect_uri(value)


def _uncached(made: Model, status: int = 200) -> Response:
    return Response(made.model_dump_json(), status, {"Cache-Control": "no-store"}, "application/json")
