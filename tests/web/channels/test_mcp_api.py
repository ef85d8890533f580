"""Who gets to an agent's tools by MCP. tests/reach calls them by the official SDK's client."""

from dataclasses import fields, replace
from pathlib import Path

import httpx2
import pytest

from app.agents.agents import Agents
from app.core.actor import ASK
from app.mail.mailer import Mailer
from app.web.limits_policy import LimitsPolicy
from app.workspaces.api_tokens import ApiTokens
from tests.web.house import SITE, House, Json, open_house, unlimited

PING: Json = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def ping(house: House, **headers: str) -> httpx2.Response:
    return await house.http.post(f"/mcp/{house.agent.id}", json=PING, headers=headers)


async def opened(house: House) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, lambda draft: replace(draft, open_to_programs=True))
    await agents.publish(house.actor, house.agent.id)


async def test_an_agent_is_closed_to_programs_without_a_token_unless_its_operator_opens_it(house: House) -> None:
    refused = await ping(house)
    assert refused.status_code == 401
    assert 'scope "ask"' in refused.json()["error"]["message"]
    await opened(house)
    assert (await ping(house)).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_a_token_of_another_workspace_finds_no_agent_even_where_it_is_open(house: House) -> None:
    await opened(house)
    assert (await ping(house, Authorization=f"Bearer {house.foreign}")).status_code == 404


async def test_a_token_that_may_not_ask_is_refused_even_where_the_agent_is_open(house: House) -> None:
    await opened(house)
    assert (await ping(house, Authorization=f"Bearer {house.read}")).status_code == 403


async def test_a_token_for_asking_opens_an_agent_and_not_the_operators_tools(house: House) -> None:
    issued = await house.parts.get(ApiTokens).issue(house.actor, "assistant", [ASK])
    headers = {"Authorization": f"Bearer {issued.token}"}
    assert (await ping(house, **headers)).status_code == 200
    assert (await house.http.post("/mcp", json=PING, headers=headers)).status_code == 403


@pytest.mark.parametrize("limit", ["questions_per_address", "questions_per_network_day"])
async def test_addresses_without_a_token_have_the_limit_of_visitors(tmp_path: Path, limit: str) -> None:
    values = {each.name: getattr(unlimited(), each.name) for each in fields(LimitsPolicy)}
    async with open_house(tmp_path, limits=LimitsPolicy(**{**values, limit: 2})) as house:
        await opened(house)
        statuses = [(await ping(house)).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("body", [b"{", b"[]", b'"ask"', b"\xff"], ids=["cut", "list", "text", "no UTF-8"])
async def test_what_is_no_call_is_refused(house: House, body: bytes) -> None:
    await opened(house)
    headers = {"Content-Type": "application/json"}
    assert 400 <= (await house.http.post(f"/mcp/{house.agent.id}", content=body, headers=headers)).status_code < 500


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "name": "search"}}',
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
    ],
    ids=["fraction", "truth", "null", "list", "batch", "two ids", "two names", "no number"],
)
async def test_a_message_that_parsers_read_differently_is_refused(house: House, body: bytes) -> None:
    await opened(house)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    assert (await house.http.post(f"/mcp/{house.agent.id}", content=body, headers=headers)).status_code == 400


@pytest.mark.parametrize("origin", ["https://evil.example", "https://api.test", "null", "http://localhost:6274"])
async def test_no_page_of_another_website_calls_not_even_by_a_name_that_leads_here(house: House, origin: str) -> None:
    """`api.test` is the Host of these requests, as after DNS rebinding."""
    await opened(house)
    headers = {"Authorization": f"Bearer {house.read}", "Origin": origin}
    for response in (await ping(house, Origin=origin), await house.http.post("/mcp", json=PING, headers=headers)):
        assert (response.status_code, response.json()["error"]["code"]) == (403, "origin_refused")
        assert "access-control-allow-origin" not in response.headers


async def test_pages_that_the_agent_lists_and_docent_itself_may_call(tmp_path: Path) -> None:
    mailer = Mailer(is_on=False, public_url="https://docent.example.com/chat")
    async with open_house(tmp_path, mailer=mailer) as house:
        await opened(house)
        assert [(await ping(house, Origin=each)).status_code for each in (SITE, "https://docent.example.com")] == [
            200
        ] * 2


async def test_a_listed_page_may_send_what_a_client_sends_and_read_what_comes_back(house: House) -> None:
    await opened(house)
    preflight = await house.http.options(
        f"/mcp/{house.agent.id}",
        headers={"Origin": SITE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "mcp-name"},
    )
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == SITE
    for header in ("Authorization", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"):
        assert header in preflight.headers["access-control-allow-headers"]
    said = await ping(house, Origin=SITE)
    assert said.headers["access-control-allow-origin"] == SITE
    assert "Mcp-Session-Id" in said.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in {*said.headers, *preflight.headers}


async def test_a_page_without_a_token_reads_where_it_gets_one(house: House) -> None:
    for path in ("/mcp", f"/mcp/{house.agent.id}"):
        refused = await house.http.post(path, json=PING, headers={"Origin": SITE})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == SITE
        assert "WWW-Authenticate" in refused.headers["access-control-expose-headers"]
        assert f"/.well-known/oauth-protected-resource{path}" in refused.headers["www-authenticate"]


async def test_what_is_not_sent_as_json_is_refused_by_name(house: House) -> None:
    await opened(house)
    refused = await house.http.post(f"/mcp/{house.agent.id}", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (415, "unsupported_media_type")
