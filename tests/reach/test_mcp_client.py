"""The official SDK's client calls an agent's and the operators' tools, over HTTP and as a command."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.reach.conftest import Reached
from tests.system.conftest import SITE

WARRANTY = "How many years of warranty does a lamp have?"
UNANSWERED = "Do you repair umbrellas in Norway?"


@asynccontextmanager
async def calling(url: str, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def names_of(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(each, "text", "") for each in result.content)
    assert not result.is_error, text
    return text


async def test_an_assistant_asks_searches_and_reads_by_http(reached: Reached) -> None:
    async with calling(f"{reached.base}/mcp/{reached.agent_id}", reached.ask_token) as client:
        assert await names_of(client) == {"ask", "search", "read_page"}
        assert "warranty of 3 years" in await text_of(client, "ask", question=WARRANTY)
        assert "warranty of 3 years" in await text_of(client, "search", query="warranty")


async def test_what_it_asks_in_vain_is_a_gap_that_operators_tools_show(reached: Reached) -> None:
    async with calling(f"{reached.base}/mcp/{reached.agent_id}", reached.ask_token) as client:
        await text_of(client, "ask", question=UNANSWERED)
    async with calling(f"{reached.base}/mcp", reached.read_token) as client:
        result = await client.call_tool("list_gaps", {"agent_id": reached.agent_id, "text": "umbrellas"})
        [gap] = result.structured_content["items"]
        known = (await client.call_tool("get_gap", {"gap_id": gap["id"]})).structured_content
        assert [sample["channel"] for sample in known["samples"]] == ["mcp"]


async def test_an_operators_assistant_sees_traces_and_sources_and_changes_nothing(reached: Reached) -> None:
    async with calling(f"{reached.base}/mcp", reached.read_token) as client:
        tools = (await client.list_tools()).tools
        assert {"list_agents", "list_gaps", "trace_search", "list_sources", "list_golden_runs"} <= {
            t.name for t in tools
        }
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        trace = await client.call_tool("trace_search", {"agent_id": reached.agent_id, "question": WARRANTY})
        assert trace.structured_content["trace"]["stages"]
        assert "Lamps" in await text_of(client, "list_sources", agent_id=reached.agent_id)


async def test_what_an_operators_assistant_proposes_waits_for_a_person(reached: Reached) -> None:
    headers = {"Authorization": f"Bearer {reached.read_token}"}
    answers = f"/v1/agents/{reached.agent_id}/curated-answers"
    proposal = {"agent_id": reached.agent_id, "pattern": UNANSWERED, "answer": "No, we mend lamps alone."}
    async with calling(f"{reached.base}/mcp", reached.propose_token) as client:
        [tool] = [each for each in (await client.list_tools()).tools if each.name == "propose_answer"]
        assert tool.annotations
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (False, False)
        told = (await client.call_tool("propose_answer", proposal)).structured_content
        assert (told["author"], told["changed"]) == ("writer", ["is_on"])
        change = {"agent_id": reached.agent_id, "answer_id": told["answer"]["id"], "answer": "No umbrellas."}
        told = (await client.call_tool("propose_answer", change)).structured_content
        assert told["changed"] == ["answer"]
        again = await client.call_tool("propose_answer", {**change, "answer": proposal["answer"]})
        assert again.is_error
        assert "Nothing would change" in str(again.content)
    [kept] = (await reached.http.get(answers, headers=headers)).json()["items"]
    assert (kept["answer"], kept["is_on"]) == (proposal["answer"], False)
    async with calling(f"{reached.base}/mcp", reached.read_token) as client:
        assert "propose_answer" not in await names_of(client)
        assert "mend lamps" in await text_of(client, "list_curated_answers", agent_id=reached.agent_id)


async def test_a_wrong_call_says_what_is_wrong(reached: Reached) -> None:
    async with calling(f"{reached.base}/mcp/{reached.agent_id}", reached.ask_token) as client:
        for tool, arguments, word in (
            ("ask", {}, "required"),
            ("ask", {"question": " "}, "empty"),
            ("read_page", {"url": f"{SITE}/nowhere"}, "Check"),
            ("delete_agent", {}, "no tool"),
        ):
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert word in str(result.content)


async def test_another_scope_and_no_token_are_refused(reached: Reached) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    agent = f"/mcp/{reached.agent_id}"
    for path, headers, status in (
        (agent, {}, 401),
        (agent, {"Authorization": f"Bearer {reached.read_token}"}, 403),
        ("/mcp", {"Authorization": f"Bearer {reached.ask_token}"}, 403),
        ("/mcp", {}, 401),
    ):
        assert (await reached.http.post(path, json=body, headers=headers)).status_code == status


@pytest.fixture
def command(reached: Reached) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "app.cli", "mcp"],
        env={**os.environ, "DOCENT_DATA": str(reached.settings.data)},
    )


async def test_an_assistant_starts_the_command_and_asks(command: StdioServerParameters) -> None:
    async with Client(command) as client:
        assert await names_of(client) == {"ask", "search", "read_page"}
        assert "warranty of 3 years" in await text_of(client, "ask", question=WARRANTY)


async def test_an_operators_assistant_starts_the_command(command: StdioServerParameters, reached: Reached) -> None:
    command.args.append("--operator")
    async with Client(command) as client:
        assert reached.agent_id in await text_of(client, "list_agents")
