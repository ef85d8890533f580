"""Curated answers with what actions return in them, without a model."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.actions.action import ActionMethod
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import check_answer
from app.answers.curated.records import CuratedAnswerRecords
from app.core.errors import InvalidInput
from app.core.turn import AnsweredBy
from app.core.turn_events import Done
from app.kit.pattern_matcher import PatternMatcher
from app.providers.http_caller import HttpReply
from tests.answers.test_action_answers import add_action, said
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.shop_api import SHOP, ShopApi
from tests.every_row import every_row

QUESTION = "How many lamps are left?"


@pytest.fixture
def shop() -> ShopApi:
    return ShopApi({"/stock": {"lamps": 7}})


@pytest.fixture
async def house(tmp_path: Path, shop: ShopApi) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path, shop=shop) as opened:
        yield opened


def write(house: AnsweringHouse, text: str, **action: Any) -> None:
    told = {"name": "stock", "url": f"{SHOP}/stock", "parameters": {}, "result_path": "lamps", **action}
    add_action(house, **told)
    answer = CuratedAnswer(uuid4(), house.agent_id, Trigger.PHRASE, "lamps are left", text)
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)


async def answered_by(house: AnsweringHouse) -> tuple[str, AnsweredBy]:
    events = await house.ask(QUESTION)
    assert isinstance(events[-1], Done)
    return said(events), events[-1].answered_by


async def test_the_result_stands_in_its_place(house: AnsweringHouse, shop: ShopApi) -> None:
    write(house, "There are **{{action.stock}}** left, {{ action.stock }} in all.")
    assert await answered_by(house) == ("There are **7** left, 7 in all.", AnsweredBy.CURATED)
    [asked] = shop.asked
    assert asked.headers["X-Api-Key"] == "opensesame"


@pytest.mark.parametrize(
    "reply", [HttpReply(500, b""), HttpReply(302, b""), HttpReply(200, b"{}"), HttpReply(200, b"[")]
)
async def test_where_nothing_comes_back_the_pages_answer(
    house: AnsweringHouse, shop: ShopApi, reply: HttpReply
) -> None:
    shop.replies["/stock"] = reply
    write(house, "There are {{action.stock}} left.")
    text, who = await answered_by(house)
    assert who is not AnsweredBy.CURATED
    assert "{{" not in text


@pytest.mark.parametrize(
    "action",
    [
        {"is_on": False},
        {"name": "another"},
        {"fixed": {"customer": "{{visitor.id}}"}},
        {"parameters": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
        {"url": "https://other.example/stock"},
    ],
    ids=["switched off", "of another name", "nobody is signed in", "needs an argument", "its host is not allowed"],
)
async def test_what_may_not_be_called_is_not(house: AnsweringHouse, shop: ShopApi, action: dict[str, Any]) -> None:
    write(house, "There are {{action.stock}} left.", **action)
    _, who = await answered_by(house)
    assert who is not AnsweredBy.CURATED
    assert shop.asked == []


async def test_a_result_is_no_link_no_picture_and_no_place(house: AnsweringHouse, shop: ShopApi) -> None:
    shop.replies["/stock"] = {"lamps": "[7](https://evil.example) ![p](//evil.example/p) [1] {{action.stock}}"}
    write(house, "Left: {{action.stock}}", method=ActionMethod.POST)
    text, _ = await answered_by(house)
    assert text == "Left: 7 p  {{action.stock}}"
    assert len(shop.asked) == 1


@every_row("text", ["{{action}}", "{{action.Stock}}", "{{action.a b}}", "{{ action.stock }"])
def test_a_place_that_names_no_action_is_refused(text: str) -> None:
    answer = CuratedAnswer(uuid4(), uuid4(), Trigger.PHRASE, "lamps", text)
    with pytest.raises(InvalidInput, match=r"action\.NAME"):
        check_answer(answer, PatternMatcher())
