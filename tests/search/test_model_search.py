"""A model that searches on."""

import json
from pathlib import Path

import anyio
import pytest

from app.core.errors import ModelUnavailable
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import SITE, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step

ASKED = SearchQuery("Shipping a lamp to Norway")


def searching(text: str) -> list[Step]:
    return [json.dumps({"search": text})]


async def sources_after(folder: Path, model: ScriptedChatModel, searches: int) -> tuple[list[str], list[str]]:
    """The pages of the sources, and what was searched for beside the question."""
    await anyio.Path(folder).mkdir(exist_ok=True)
    async with answering_house(folder, model=model) as house:
        found = await house.retriever.retrieve(await house.live_agent(model_searches=searches, sources=2), ASKED)
    stages = {stage["stage"]: stage for stage in found.trace["stages"]}
    pages = [item.chunk.url.removeprefix(SITE) for item in found.sources]
    return pages, stages.get("model_search", {}).get("searched", [])


async def test_the_model_searches_for_what_is_missing_until_it_has_enough(tmp_path: Path) -> None:
    model = ScriptedChatModel(searching("return postage of a lamp"), searching(""))
    pages, searched = await sources_after(tmp_path, model, 3)
    assert searched == ["return postage of a lamp"]
    assert "/returns" in pages
    assert "Shipping a lamp" in model.requests[0][1].content


async def test_it_searches_no_more_often_than_the_agent_allows(tmp_path: Path) -> None:
    model = ScriptedChatModel(searching("one"), searching("two"), searching("three"), searching("four"))
    assert (await sources_after(tmp_path, model, 2))[1] == ["one", "two"]
    assert len(model.requests) == 2


async def test_an_agent_that_does_not_want_it_asks_nobody(tmp_path: Path) -> None:
    model = ScriptedChatModel(searching("one"))
    assert (await sources_after(tmp_path, model, 0))[1] == []
    assert not model.requests


@pytest.mark.parametrize(
    "reply",
    [
        [ModelUnavailable("away")],
        ["prose"],
        ['{"search": 7}'],
        ['{"search": "' + "x" * 2000 + '"}'],
        [json.dumps({"search": ASKED.text.upper()})],
    ],
    ids=["away", "prose", "no text", "too long", "the same again"],
)
async def test_whatever_goes_wrong_what_was_found_goes_on(tmp_path: Path, reply: list[Step]) -> None:
    alone, _ = await sources_after(tmp_path / "alone", ScriptedChatModel(searching("")), 0)
    assert await sources_after(tmp_path / "asked", ScriptedChatModel(reply), 3) == (alone, [])
