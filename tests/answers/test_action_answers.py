"""A model looks something up while it answers."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.actions.records import ActionRecords
from app.agents.agent import AgentConfig, AnswerCheck
from app.core.errors import ModelUnavailable
from app.core.turn import AnsweredBy
from app.core.turn_events import Citations, Done, Error, Token, TurnEvent
from app.providers.chat.chat_model import ToolCall
from app.providers.http_caller import HttpReply
from tests.actions.test_action import ACTION
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.shop_api import ShopApi

ORDER_STATUS = ToolCall("order_status", '{"order": "A-17"}')
QUESTION = "Where is my order A-17?"


def add_action(house: AnsweringHouse, **changes: Any) -> None:
    action = replace(ACTION, id=uuid4(), agent_id=house.agent_id, **changes)
    with house.record.writing() as tx:
        ActionRecords(tx).create(action, {"X-Api-Key": "opensesame"})


def said(events: list[TurnEvent]) -> str:
    return "".join(event.token for event in events if isinstance(event, Token))


def number_of_result(model: ScriptedChatModel) -> int:
    found = re.search(r'<source id="(\d+)" title="Order status" from="action">', model.requests[1][-1].content)
    assert found is not None
    return int(found[1])


class CitingModel(ScriptedChatModel):
    """Asks for the order, then says what came back, citing it by the number that the prompt gave it."""

    def __init__(self) -> None:
        super().__init__([ORDER_STATUS], ["It was shipped [1][2][3][4][5][6][7]."])


async def test_what_an_action_returned_is_a_source_that_is_cited_and_is_no_page(tmp_path: Path) -> None:
    model, shop = ScriptedChatModel([ORDER_STATUS], ["Your order was shipped [1]."]), ShopApi()
    async with answering_house(tmp_path, model=model, shop=shop) as house:
        add_action(house)
        first = await house.ask(QUESTION)
        assert [tool.name for tool in model.requests[0][-1].tools] == ["order_status"]
        assert model.requests[1][-1].tools == ()
        assert "order.status: shipped" in model.requests[1][-1].content
        number = number_of_result(model)
        model._replies = ([ORDER_STATUS], [f"Your order was shipped [{number}]."])  # as a model reads it
        model.requests.clear()
        events = await house.ask(QUESTION)
        turn = await house.stored_turn()
    assert isinstance(first[-1], Done)
    assert said(events) == "Your order was shipped [1]."
    [citations] = [event for event in events if isinstance(event, Citations)]
    [cited] = citations.citations
    assert (cited.title, cited.chunk_id) == ("Order status", None)
    assert cited.url.startswith("urn:uuid:")
    assert turn.trace["actions"][0]["outcome"] == "answered"
    assert not turn.low_confidence
    assert "opensesame" not in str(turn.trace) + str(model.requests)


async def test_both_calls_of_the_model_are_counted(tmp_path: Path) -> None:
    async with answering_house(tmp_path, model=CitingModel(), shop=ShopApi()) as house:
        add_action(house)
        await house.ask(QUESTION)
        turn = await house.stored_turn()
    assert turn.usage is not None
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens) == (20, 10)


async def test_a_look_up_in_vain_is_told_in_our_words_and_cannot_be_cited(tmp_path: Path) -> None:
    shop = ShopApi({"/orders/A-17": HttpReply(500, b"secret of the shop")})
    model = CitingModel()
    async with answering_house(tmp_path, model=model, shop=shop) as house:
        add_action(house)
        await house.ask(QUESTION)
        turn = await house.stored_turn()
    prompt = model.requests[1][-1].content
    assert "Looked up in vain; say so where it matters:\n- Order status: it answered with status 500" in prompt
    assert "secret of the shop" not in prompt
    assert 'from="action"' not in prompt
    assert all(not each.url.startswith("urn:") for each in turn.citations)


async def test_text_before_a_call_stays_and_the_answer_goes_on_behind_it(tmp_path: Path) -> None:
    model = ScriptedChatModel(["Let me look.", ORDER_STATUS], ["It was shipped."])
    async with answering_house(tmp_path, model=model, shop=ShopApi()) as house:
        add_action(house)
        assert said(await house.ask(QUESTION)) == "Let me look.\n\nIt was shipped."


async def test_a_model_that_is_gone_after_the_call_leaves_the_answer_to_the_pages(tmp_path: Path) -> None:
    model = ScriptedChatModel([ORDER_STATUS], [ModelUnavailable("gone")])
    async with answering_house(tmp_path, model=model, shop=ShopApi()) as house:
        add_action(house)
        await house.ask("How long may I return a lamp?")
        turn = await house.stored_turn()
    assert turn.answered_by is AnsweredBy.EXTRACTIVE
    assert all(not each.url.startswith("urn:") for each in turn.citations)


async def test_a_model_that_is_gone_after_its_first_words_breaks_the_answer_off(tmp_path: Path) -> None:
    model = ScriptedChatModel(["Let me look.", ORDER_STATUS], [ModelUnavailable("gone")])
    async with answering_house(tmp_path, model=model, shop=ShopApi()) as house:
        add_action(house)
        events = await house.ask(QUESTION)
    assert isinstance(events[-1], Error)
    assert events[-1].code == "model_interrupted"


async def test_what_a_model_says_of_a_result_is_looked_up_in_it(tmp_path: Path) -> None:
    config = AgentConfig(name="Lamp helper", answer_check=AnswerCheck.WITHHOLD)
    shop = ShopApi({"/orders/A-17": {"order": {"price": "The order costs 90 euros in all."}}})
    model = ScriptedChatModel([ORDER_STATUS], [])
    async with answering_house(tmp_path, model=model, shop=shop, config=config, checks_answers=True) as house:
        add_action(house)
        await house.ask(QUESTION)
        number = number_of_result(model)
        model._replies = (
            [ORDER_STATUS],
            [f"The order costs 90 euros in all [{number}]. The order costs 70 euros in all [{number}]."],
        )
        model.requests.clear()
        events = await house.ask(QUESTION)
    assert "90 euros" in said(events)
    assert "70 euros" not in said(events)


async def test_without_an_action_nothing_is_offered_and_nothing_said_of_tools(tmp_path: Path) -> None:
    model = ScriptedChatModel(["Within 30 days [1]."])
    async with answering_house(tmp_path, model=model, shop=ShopApi()) as house:
        await house.ask("How long may I return a lamp?")
    [[system, *_, last]] = model.requests
    assert last.tools == ()
    assert "tools" not in system.content
