"""Who gets to an agent's tools by MCP. tests/reach calls them by the official SDK's client."""

from dataclasses import fields, replace
from pathlib import Path

import httpx2
import pytest

from app.agents.agents import Agents
from app.core.actor import ASK
from app.web.limits_policy import LimitsPolicy
from app.workspaces.api_tokens import ApiTokens
from tests.web.house import House, Json, open_house, unlimited

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


async def test_what_is_not_sent_as_json_is_refused_by_name(house: House) -> None:
    await opened(house)
    refused = await house.http.post(f"/mcp/{house.agent.id}", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (415, "unsupported_media_type")
