"""An agent's tools over the real pipeline, with small doubles for its models."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.agents.records import AgentRecords
from app.channels.agent_tools import AgentTools, ToolRefused, ToolResult
from app.channels.program_questions import ProgramCaller, ProgramQuestions
from app.conversations.records.inbox import InboxRecords
from app.core.list_page import PageRequest
from app.core.search_filter import SearchFilter
from app.core.turn import Channel
from tests.doubles.answering_house import SITE, AnsweringHouse, answering_house
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.web.house import unlimited


@dataclass
class Tools:
    house: AnsweringHouse
    caller: ProgramCaller
    limiter: CountingRateLimiter

    async def call(self, name: str, **arguments: object) -> ToolResult:
        house = self.house
        questions = ProgramQuestions(house.record, house.conversations, house.turns, self.limiter, unlimited())
        by_name = {tool.name: tool for tool in AgentTools(house.record, questions, house.search).tools()}
        return await by_name[name].result(self.caller, arguments)


@pytest.fixture
async def tools(tmp_path: Path) -> AsyncIterator[Tools]:
    async with answering_house(tmp_path) as house:
        agent = await house.record.read(lambda tx: AgentRecords(tx).live(house.agent_id))
        yield Tools(house, ProgramCaller(agent, None), CountingRateLimiter())


async def test_an_answer_names_its_sources_in_its_text_and_beside_it(tools: Tools) -> None:
    told = await tools.call("ask", question="How long may I return a lamp?")
    assert "within 30 days" in told.text
    assert f"({SITE}/returns" in told.text
    assert told.value["citations"][0]["url"].startswith(f"{SITE}/returns")


async def test_a_question_is_kept_as_a_conversation_by_mcp(tools: Tools) -> None:
    await tools.call("ask", question="How long may I return a lamp?")
    with tools.house.record.reading() as tx:
        [entry] = InboxRecords(tx).page(tools.house.agent_id, PageRequest()).items
    kept = entry.conversation
    assert (kept.channel, kept.turn_count) == (Channel.MCP, 1)


async def test_a_search_gives_the_passages_that_fit_best(tools: Tools) -> None:
    told = await tools.call("search", query="shipping to Norway")
    assert told.value["passages"][0]["url"].startswith(f"{SITE}/shipping")
    assert "Norway takes 5 days" in told.text


RETURNS_ALONE = {"path_prefixes": ["/returns"]}
BEFORE_ANY_PAGE = {"dated_to": "1999-12-31"}


async def test_a_program_narrows_the_pages_by_path_and_by_time(tools: Tools) -> None:
    found = await tools.call("search", query="shipping to Norway", filter=RETURNS_ALONE)
    assert {row["url"].removeprefix(SITE)[:8] for row in found.value["passages"]} == {"/returns"}
    assert (await tools.call("search", query="shipping to Norway", filter=BEFORE_ANY_PAGE)).value["passages"] == []
    told = await tools.call("ask", question="How long does shipping to Norway take?", filter=RETURNS_ALONE)
    assert "5 days" not in told.text
    assert "5 days" in (await tools.call("ask", question="How long does shipping to Norway take?")).text


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"filters": RETURNS_ALONE}, "filters"),
        ({"time_range": "week"}, "time_range"),
        ({"filter": {"paths": ["/returns"]}}, "filter.paths"),
        ({"filter": {"path_prefixes": ["returns"]}}, "filter.path_prefixes.0"),
        ({"filter": {"dated_from": "2026-02-01", "dated_to": "2026-01-01"}}, "filter.dated_to"),
    ],
)
async def test_a_filter_that_there_is_not_is_refused_by_name(
    tools: Tools, arguments: dict[str, object], field: str
) -> None:
    for name, text in (("ask", "question"), ("search", "query")):
        with pytest.raises(ToolRefused, match=f"^{field}: "):
            await tools.call(name, **{text: "Can I send it back?"}, **arguments)


async def test_a_page_is_read_as_it_was_learnt(tools: Tools) -> None:
    told = await tools.call("read_page", url=f"{SITE}/warranty")
    assert "The warranty covers the battery as well." in told.value["markdown"]
    with pytest.raises(ToolRefused, match="page"):
        await tools.call("read_page", url=f"{SITE}/nowhere")


async def test_a_page_that_the_agent_may_not_answer_from_is_not_read(tools: Tools) -> None:
    agent = tools.caller.agent
    only = replace(agent.config.retrieval, filter=SearchFilter(path_prefixes=("/returns",)))
    tools.caller = ProgramCaller(replace(agent, config=replace(agent.config, retrieval=only)), None)
    assert "30 days" in (await tools.call("read_page", url=f"{SITE}/returns")).text
    with pytest.raises(ToolRefused, match="page"):
        await tools.call("read_page", url=f"{SITE}/warranty")


async def test_every_tool_counts_for_the_agent(tools: Tools) -> None:
    await tools.call("ask", question="How long may I return a lamp?")
    await tools.call("search", query="returns")
    await tools.call("read_page", url=f"{SITE}/returns")
    assert tools.limiter.hits[("ask", "agent", str(tools.house.agent_id))] == 3
