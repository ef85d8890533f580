"""Further questions below an answer: from the cited pages and from operators, looked up first, never asked before."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.turn import AnsweredBy, Channel
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.turns.next_questions import NextQuestionFinder
from tests.doubles.answering_house import SITE, AnsweringHouse, answering_house
from tests.turns.outcomes import done

PLANS = """# Plans

## Cancel the plan

You cancel the plan under Settings, Billing. The plan ends with the month that is paid for; nothing is deleted.

## Pay the plan by invoice

An invoice is sent by mail on the first day of each month. It has to be settled within fourteen days, by a transfer.

## Share the plan with colleagues

Up to five colleagues share the plan. Each of them gets a password of their own from the page Colleagues.

## Overview

What stands here is about the plan as well, and is long enough to be an answer to somebody who wants an overview.
"""
QUESTION = "How do I cancel the plan?"
INVOICE, SHARE = "How do I pay the plan by invoice?", "How do I share the plan with colleagues?"


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is offered does not depend on how busy the machine is."""
    monkeypatch.setattr("app.turns.next_questions._BUDGET_SECONDS", 60)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path) as opened:
        await opened.learn("/plans", PLANS)
        yield opened


async def offers(house: AnsweringHouse, question: str = QUESTION) -> Sequence[str]:
    return done(await house.ask(question)).next_questions


async def test_the_other_sections_of_the_cited_page_are_offered(house: AnsweringHouse) -> None:
    assert await offers(house) == (INVOICE, SHARE)


async def test_they_are_kept_with_the_turn_and_its_message(house: AnsweringHouse) -> None:
    await offers(house)
    with house.record.reading() as tx:
        turn = StoredTurnRecords(tx).find(house.sent[-1].turn_id)
        question, answer = ConversationRecords(tx).messages(house.session.conversation_id, 30)
    assert turn is not None
    assert turn.next_questions == (INVOICE, SHARE)
    assert turn.trace["next_questions_ms"] >= 0
    assert (question.next_questions, answer.next_questions) == ((), (INVOICE, SHARE))


async def test_what_this_conversation_has_asked_is_not_offered_again(house: AnsweringHouse) -> None:
    await house.ask("pay the plan by INVOICE?")
    assert await offers(house) == (SHARE,)


async def test_a_heading_that_stands_on_another_page_too_says_nothing(house: AnsweringHouse) -> None:
    await house.learn(
        "/offers", "# Offers\n\n## Pay the plan by invoice\n\n" + "Another page that is laid out the same. " * 4
    )
    assert await offers(house) == (SHARE,)


async def test_a_section_that_says_nothing_is_not_offered(house: AnsweringHouse) -> None:
    invoice = PLANS.split("\n\n")[4]
    await house.learn("/plans", PLANS.replace(invoice, "See there."))
    assert await offers(house) == (SHARE,)


@pytest.mark.parametrize(
    ("origin", "offered"),
    [
        pytest.param(GoldenOrigin.WRITTEN, True, id="an operator's"),
        pytest.param(GoldenOrigin.IMPORTED, True, id="an operator's file"),
        pytest.param(GoldenOrigin.CONVERSATION, False, id="a visitor's"),
    ],
)
async def test_golden_questions_are_offered_unless_a_visitor_asked_them(
    house: AnsweringHouse, origin: GoldenOrigin, offered: bool
) -> None:
    question = "How many colleagues share the plan?"
    golden = GoldenQuestion(uuid4(), house.agent_id, question, (f"{SITE}/plans",), origin=origin)
    with house.record.writing() as tx:
        GoldenQuestionRecords(tx).put(golden)
    assert (question in await offers(house)) is offered


async def test_a_starter_prompt_is_offered_where_a_cited_page_answers_it(tmp_path: Path) -> None:
    prompts = ("How many colleagues share the plan?", "How long does shipping a lamp to Norway take?")
    config = AgentConfig("Lamp helper", starter_prompts=prompts)
    async with answering_house(tmp_path, config=config) as house:
        await house.learn("/plans", PLANS)
        assert await offers(house) == (prompts[0], INVOICE, SHARE)


async def test_nothing_is_offered_twice_nor_what_the_cited_page_is_about(tmp_path: Path) -> None:
    config = AgentConfig("Lamp helper", starter_prompts=(INVOICE, "My plan in short"))
    async with answering_house(tmp_path, config=config) as house:
        await house.learn("/plans", PLANS.replace("# Plans", "# My plan in short", 1))
        assert await offers(house) == (INVOICE, SHARE)


@pytest.mark.parametrize("setting", [{"next_questions": False}, {"confidence_threshold": 0.999}], ids=["off", "unsure"])
async def test_nothing_is_offered_where_it_is_off_or_search_is_not_sure(
    tmp_path: Path, setting: dict[str, float]
) -> None:
    async with answering_house(tmp_path, config=replace(AgentConfig("Lamp helper"), **setting)) as house:  # type: ignore[arg-type]
        await house.learn("/plans", PLANS)
        assert await offers(house) == ()


@pytest.mark.parametrize(
    "question",
    ["Hello!", "What is the airspeed velocity of an unladen swallow?"],
    ids=["small talk", "fallback"],
)
async def test_what_no_page_has_answered_offers_nothing(house: AnsweringHouse, question: str) -> None:
    events = await house.ask(question)
    assert done(events).answered_by in (AnsweredBy.SMALL_TALK, AnsweredBy.FALLBACK)
    assert done(events).next_questions == ()


async def test_a_command_line_is_offered_nothing(house: AnsweringHouse) -> None:
    house.session = replace(house.session, channel=Channel.CLI)
    assert await offers(house) == ()


async def test_a_search_that_takes_too_long_is_left(house: AnsweringHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NextQuestionFinder, "_found", lambda *asked: asyncio.sleep(60))
    monkeypatch.setattr("app.turns.next_questions._BUDGET_SECONDS", 0.01)
    assert await offers(house) == ()


async def test_a_search_that_fails_costs_no_answer(house: AnsweringHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*asked: object) -> list[str]:
        raise RuntimeError("gone")

    monkeypatch.setattr(NextQuestionFinder, "_found", away)
    assert await offers(house) == ()
    assert "Settings" in "".join(
        getattr(event, "token", "") for event in await house.ask("Where do I cancel the plan?")
    )
