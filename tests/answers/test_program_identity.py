"""A program that names a customer is not that customer: it needs the website's signature to be."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.channels.program_questions import ProgramCaller, ProgramQuestions
from app.conversations.records.conversations import ConversationRecords
from app.core.turn import Channel
from app.core.visitor_attribute import VisitorAttribute
from tests.answers.test_action_answers import ORDER_STATUS, QUESTION, add_action
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.shop_api import SHOP, ShopApi
from tests.web.house import unlimited

CUSTOMER = "customer-7"
CONFIG = AgentConfig(name="Lamp helper", prompt_attributes=("balance",))


async def asked(house: AnsweringHouse, channel: Channel, user_id: str | None, *, is_proven: bool = False) -> None:
    """A program's question, once the website has signed the balance of CUSTOMER."""
    add_action(house, fixed={"customer": "{{visitor.id}}"})
    with house.record.writing() as tx:
        known = ConversationRecords(tx).signed_visitor(house.agent_id, CUSTOMER)
        ConversationRecords(tx).add_attributes(known, [VisitorAttribute("balance", "SECRET-9000", True)])
        agent = AgentRecords(tx).live(house.agent_id)
    questions = ProgramQuestions(house.record, house.conversations, house.turns, CountingRateLimiter(), unlimited())
    turn = await questions.ask(ProgramCaller(agent, None), QUESTION, channel, user_id=user_id, is_proven=is_proven)
    assert [each async for each in turn.feed.events()]


@pytest.mark.parametrize(
    ("channel", "user_id"),
    [(Channel.API, CUSTOMER), (Channel.API, "never-seen"), (Channel.API, None), (Channel.MCP, None)],
    ids=["a known user", "an unknown user", "no user", "by MCP"],
)
async def test_without_a_signature_no_action_of_a_person_is_offered_and_nothing_signed_is_said(
    tmp_path: Path, channel: Channel, user_id: str | None
) -> None:
    model, shop = ScriptedChatModel([ORDER_STATUS], ["Shipped."]), ShopApi()
    async with answering_house(tmp_path, model=model, shop=shop, config=CONFIG) as house:
        await asked(house, channel, user_id)
    assert model.requests[0][-1].tools == ()
    assert shop.asked == []
    assert "SECRET-9000" not in str(model.requests)


async def test_with_the_websites_signature_the_action_is_called_for_that_user(tmp_path: Path) -> None:
    model, shop = ScriptedChatModel([ORDER_STATUS], ["Shipped."]), ShopApi()
    async with answering_house(tmp_path, model=model, shop=shop, config=CONFIG) as house:
        await asked(house, Channel.API, CUSTOMER, is_proven=True)
    assert [each.url for each in shop.asked] == [f"{SHOP}/orders/A-17?customer={CUSTOMER}"]
    assert "SECRET-9000" in str(model.requests[0])


async def test_what_names_nobody_is_offered_to_programs_as_well(tmp_path: Path) -> None:
    model, shop = ScriptedChatModel([ORDER_STATUS], ["Shipped."]), ShopApi()
    async with answering_house(tmp_path, model=model, shop=shop) as house:
        add_action(house)
        house.session = replace(house.session, is_proven=False)
        await house.ask(QUESTION)
    assert [each.url for each in shop.asked] == [f"{SHOP}/orders/A-17"]
