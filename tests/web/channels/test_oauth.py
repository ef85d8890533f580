"""An assistant that takes no token is let in at the console: by the SDK's own client, and wrongly in every way."""

import re
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from app.agents.agents import Agents
from app.channels.oauth.grant import Client, is_redirect_uri
from app.workspaces.operator import Role
from tests.every_row import every_row
from tests.web.console.browser import ConsoleBrowser, an_operator, text_of
from tests.web.house import House, Json
from tests.web.request_bodies import A_CHALLENGE, A_REDIRECT, A_VERIFIER

PING: Json = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG: Json = {"jsonrpc": "2.0", "id": 1, "result": {}}


@dataclass
class Assistant:
    """What the SDK's client keeps, and the operator who is sent to the console."""

    browser: ConsoleBrowser
    decision: str = "allow"
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    shown: str = ""
    told: dict[str, str] = field(default_factory=dict)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def opened(self, url: str) -> None:
        parts = urlsplit(url)
        self.shown = await self.browser.page(f"{parts.path}?{parts.query}")
        fields = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', self.shown)}
        answered = await self.browser.post(parts.path, {**fields, "decision": self.decision})
        assert answered.status_code == 200, text_of(answered.text)
        self.told = back_of(answered.text)

    async def came_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.told["code"], state=self.told["state"], iss=self.told["iss"])

    def auth(self, url: str) -> OAuthClientProvider:
        told = OAuthClientMetadata.model_validate({"client_name": "Helper <b>", "redirect_uris": [A_REDIRECT]})
        return OAuthClientProvider(url, told, self, self.opened, self.came_back)


def back_of(page: str) -> dict[str, str]:
    """What the link back to the assistant tells it."""
    [link] = set(re.findall(rf'href="({re.escape(A_REDIRECT)}[^"]*)"', page))
    return {name: value for name, [value] in parse_qs(urlsplit(unescape(link)).query).items()}


@pytest.fixture
async def assistant(house: House) -> Assistant:
    return Assistant(await an_operator(house))


def address(house: House, path: str) -> str:
    return str(house.http.base_url).rstrip("/") + path


async def connected(house: House, assistant: Assistant, path: str) -> httpx2.Response:
    url = address(house, path)
    return await house.http.post(url, json=PING, auth=assistant.auth(url))


async def with_token(house: House, assistant: Assistant, path: str) -> httpx2.Response:
    assert assistant.tokens is not None
    return await house.http.post(path, json=PING, headers={"Authorization": f"Bearer {assistant.tokens.access_token}"})


async def test_the_sdks_client_finds_registers_is_allowed_and_asks(house: House, assistant: Assistant) -> None:
    path = f"/mcp/{house.agent.id}"
    assert (await connected(house, assistant, path)).json() == PONG
    shown = text_of(assistant.shown)
    assert "Helper <b>" in shown
    assert "http://127.0.0.1:8001" in shown
    assert house.agent.draft.name in shown
    assert assistant.tokens is not None
    assert (assistant.tokens.scope, assistant.tokens.expires_in) == ("ask", 90 * 86_400)
    tokens = text_of(await assistant.browser.page("/console/tokens"))
    assert "Helper <b>" in tokens


async def test_a_token_is_valid_for_the_resource_that_was_allowed_alone(house: House, assistant: Assistant) -> None:
    agents = house.parts.get(Agents)
    other = await agents.create(house.actor, replace(house.agent.draft, name="Other"))
    await agents.publish(house.actor, other.id)
    await connected(house, assistant, f"/mcp/{house.agent.id}")
    assert (await with_token(house, assistant, f"/mcp/{house.agent.id}")).status_code == 200
    for path in (f"/mcp/{other.id}", "/mcp", "/v1/chat/completions"):
        refused = await with_token(house, assistant, path)
        assert refused.status_code == 401, path
        assert f"/mcp/{house.agent.id}" in refused.json()["error"]["message"]


async def test_a_client_in_a_browser_finds_registers_and_exchanges(house: House, assistant: Assistant) -> None:
    await allowed(house, assistant)
    origin = {"Origin": "https://inspector.example"}
    agents = f"/.well-known/oauth-protected-resource/mcp/{house.agent.id}"
    for path in (agents, "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        read = await house.http.get(path, headers=origin)
        assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, origin["Origin"])
    for path in ("/oauth/register", "/oauth/token"):
        asked = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        preflight = await house.http.options(path, headers=asked)
        assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, origin["Origin"])
        refused = await house.http.post(path, json={}, headers=origin)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (400, origin["Origin"])
        assert "access-control-allow-credentials" not in refused.headers


async def test_the_console_where_access_is_allowed_is_for_no_other_page(house: House) -> None:
    read = await house.http.get("/console/connect", headers={"Origin": "https://inspector.example"})
    assert "access-control-allow-origin" not in read.headers


async def test_the_operators_tools_are_allowed_on_their_own(house: House, assistant: Assistant) -> None:
    assert (await connected(house, assistant, "/mcp")).json() == PONG
    assert assistant.tokens is not None
    assert assistant.tokens.scope in ("read", "read propose")
    assert (await with_token(house, assistant, "/v1/agents")).status_code == 401


async def test_a_code_is_exchanged_once_and_the_second_time_ends_its_token(house: House, assistant: Assistant) -> None:
    await allowed(house, assistant)
    first = await exchanged(house, assistant)
    assert first.status_code == 200
    assert first.headers["cache-control"] == "no-store"
    headers = {"Authorization": f"Bearer {first.json()['access_token']}"}
    assert (await house.http.post(f"/mcp/{house.agent.id}", json=PING, headers=headers)).status_code == 200
    again = await exchanged(house, assistant)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert (await house.http.post(f"/mcp/{house.agent.id}", json=PING, headers=headers)).status_code == 401


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:8001/other"}, "invalid_grant"),
        ({"code": "x.y"}, "invalid_grant"),
        ({"code": "é"}, "invalid_grant"),
        ({"client_id": "x"}, "invalid_client"),
        ({"grant_type": "refresh_token"}, "unsupported_grant_type"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_grant"),
    ],
)
async def test_a_code_is_worth_nothing_to_anybody_else(
    house: House, assistant: Assistant, changed: dict[str, str], error: str
) -> None:
    await allowed(house, assistant)
    refused = await exchanged(house, assistant, **changed)
    assert (refused.status_code, refused.json()["error"]) == (401 if error == "invalid_client" else 400, error)


async def test_a_code_is_worth_nothing_to_another_client_and_after_a_minute(house: House, assistant: Assistant) -> None:
    await allowed(house, assistant)
    other = await registered(house, client_name="Another")
    assert (await exchanged(house, assistant, client_id=other)).json()["error"] == "invalid_grant"
    house.clock.advance(seconds=61)
    assert (await exchanged(house, assistant)).json()["error"] == "invalid_grant"


async def test_who_denies_sends_the_assistant_back_without_a_code(house: House, assistant: Assistant) -> None:
    assistant.decision = "deny"
    await allowed(house, assistant)
    assert (assistant.told["error"], assistant.told["state"]) == ("access_denied", "s")
    assert "code" not in assistant.told


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": ""}, "invalid_target"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ],
)
async def test_an_assistant_is_told_what_is_wrong(
    house: House, assistant: Assistant, changed: dict[str, str], error: str
) -> None:
    """But by a link only: whoever registered the address may have made a link that leads there (RFC 9700, 4.11.2)."""
    asked = await request(house) | changed
    for shown in (
        await assistant.browser.get(f"/console/connect?{urlencode(asked)}"),
        await assistant.browser.post("/console/connect", {**asked, "decision": "allow"}),
    ):
        assert shown.status_code == 400
        assert 'http-equiv="refresh"' not in shown.text
        assert back_of(shown.text)["error"] == error
        assert "Nobody has checked" in text_of(shown.text)


@pytest.mark.parametrize("changed", [{"client_id": "x"}, {"redirect_uri": "https://evil.example/"}])
async def test_nobody_is_sent_to_an_address_that_is_not_registered(
    house: House, assistant: Assistant, changed: dict[str, str]
) -> None:
    asked = await request(house) | changed
    assert "Unknown assistant" in await assistant.browser.page(f"/console/connect?{urlencode(asked)}")
    posted = await assistant.browser.post("/console/connect", {**asked, "decision": "allow"})
    assert (posted.status_code, posted.headers["location"]) == (303, "/console/connect")


async def test_who_may_not_make_tokens_lets_nobody_in(house: House) -> None:
    browser = await an_operator(house, Role.EDITOR)
    asked = await request(house)
    assert (await browser.get(f"/console/connect?{urlencode(asked)}")).status_code == 403
    assert (await browser.post("/console/connect", {**asked, "decision": "allow"})).status_code == 403


@pytest.mark.parametrize(
    "uris",
    [[], "https://a.example", ["http://a.example/back"], ["javascript://a/%0aalert(1)"], ["https://a.example/#x"], [7]],
)
async def test_an_address_that_a_browser_would_run_or_leak_to_is_not_registered(house: House, uris: Any) -> None:
    refused = await house.http.post("/oauth/register", json={"redirect_uris": uris})
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/oauth/register", body, 400) for body in (b"{", b"[1]", rb'{"x": "\u0000"}', rb'{"x": "\ud800"}')]
    + [("/oauth/token", b"\xff=\xff", 400)]
    + [(path, b" " * 20_000, 413) for path in ("/oauth/register", "/oauth/token")],
)
async def test_every_refusal_is_one_of_oauth(house: House, path: str, body: bytes, status: int) -> None:
    refused = await house.http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert (refused.status_code, set(refused.json())) == (status, {"error", "error_description"})


@every_row(
    ("uri", "is_one"),
    [
        ("https://claude.example/api/callback?x=1", True),
        ("http://localhost:33418/", True),
        ("http://[::1]:9/back", True),
        ("cursor://helper/back", True),
        ("data://text/html,x", False),
        ("https://user@a.example/", False),
        ("https://a.example/ x", False),
        ("//a.example", False),
        ("https:///x", False),
        ("http://[", False),
        ("x" * 300, False),
    ],
)
def test_addresses_to_return_to(uri: str, is_one: bool) -> None:
    assert is_redirect_uri(uri) is is_one


def test_on_this_machine_the_port_may_be_another() -> None:
    client = Client("Helper", ("http://127.0.0.1/back", "https://a.example/back"))
    assert client.may_return_to("http://127.0.0.1:5000/back")
    assert not client.may_return_to("http://127.0.0.1:5000/other")
    assert not client.may_return_to("http://localhost:5000/back")
    assert not client.may_return_to("https://a.example:5000/back")


async def registered(house: House, **told: Any) -> str:
    made = await house.http.post("/oauth/register", json={"redirect_uris": [A_REDIRECT], **told})
    assert made.status_code == 201, made.text
    return str(made.json()["client_id"])


async def request(house: House) -> dict[str, str]:
    return {
        "response_type": "code",
        "client_id": await registered(house),
        "redirect_uri": A_REDIRECT,
        "code_challenge": A_CHALLENGE,
        "code_challenge_method": "S256",
        "resource": address(house, f"/mcp/{house.agent.id}"),
        "state": "s",
    }


async def allowed(house: House, assistant: Assistant) -> None:
    asked = await request(house)
    await assistant.opened(address(house, f"/console/connect?{urlencode(asked)}"))
    assistant.told["client_id"] = asked["client_id"]


async def exchanged(house: House, assistant: Assistant, **changed: str) -> httpx2.Response:
    sent = {
        "grant_type": "authorization_code",
        "code": assistant.told["code"],
        "client_id": assistant.told["client_id"],
        "redirect_uri": A_REDIRECT,
        "code_verifier": A_VERIFIER,
    }
    return await house.http.post("/oauth/token", data=sent | changed)
