"""An operator asks as a visitor would, and gets what a visitor would have got."""

from dataclasses import replace
from pathlib import Path

from app.answers.playground import PlaygroundListener, PlaygroundQuestion
from app.conversations.history import TURNS
from app.core.search_filter import SearchFilter
from app.core.turn import AnsweredBy, Exchange
from app.core.turn_events import Done, Token, TurnEvent
from tests.doubles.answering_house import SITE, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel

QUESTION = "How long is the warranty?"
NORWAY, AND_THEN = "How long does shipping to Norway take?", "And what does it cost?"


async def test_it_answers_as_a_turn_does(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        pieces: list[str] = []
        stages: list[str] = []
        told = await house.answering.playground.ask(
            house.workspace_id,
            house.agent_id,
            PlaygroundQuestion(QUESTION, f"{SITE}/"),
            "live",
            PlaygroundListener(stages.append, pieces.append),
        )
        turn = await house.ask(QUESTION)
    done = turn[-1]
    assert isinstance(done, Done)
    assert told.answer == "".join(pieces) == "".join(event.token for event in turn if isinstance(event, Token))
    assert (told.answered_by, told.confidence, told.is_low_confidence) == (
        done.answered_by,
        done.confidence,
        done.low_confidence,
    )
    assert stages == ["searching", "writing"]
    assert told.search is not None
    assert [chunk["url"] for chunk in told.search["chunks"] if chunk["is_source"]]
    assert told.prompt == ()


async def test_it_shows_the_prompt_that_the_model_was_given(tmp_path: Path) -> None:
    model = ScriptedChatModel(["It is two years [1]."])
    async with answering_house(tmp_path, model=model) as house:
        told = await house.answering.playground.ask(
            house.workspace_id,
            house.agent_id,
            PlaygroundQuestion(QUESTION, f"{SITE}/", "de", "Warranty: two years on this page."),
            "draft",
        )
    assert (told.answered_by, told.language) == (AnsweredBy.MODEL, "de")
    assert [message.role for message in told.prompt] == ["system", "user"]
    assert 'from="visitor"' in told.prompt[1].content
    assert "two years on this page" in told.prompt[1].content


async def test_only_pages_that_pass_the_filter_are_answered_from(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        only = SearchFilter(path_prefixes=("/shipping",))
        asked = PlaygroundQuestion(QUESTION, only=only)
        told = await house.answering.playground.ask(house.workspace_id, house.agent_id, asked, "live")
        assert told.search is not None
        assert {chunk["url"] for chunk in told.search["chunks"]} <= {f"{SITE}/shipping"}
        assert "3 years" not in told.answer
        turn = await house.turns.ask(house.session, replace(house.request(QUESTION), only=only))
        heard = [numbered.event async for numbered in turn.events()]
    assert told.answer == "".join(event.token for event in heard if isinstance(event, Token))


async def test_a_conversation_goes_on_as_a_visitors_does(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        heard = [_said(await house.ask(question)) for question in (NORWAY, AND_THEN)]
        asked = PlaygroundQuestion(AND_THEN, f"{SITE}/", history=(Exchange(NORWAY, heard[0]),))
        told = await house.answering.playground.ask(house.workspace_id, house.agent_id, asked, "live")
    assert told.standalone == f"{NORWAY} {AND_THEN}"
    assert told.answer == heard[1]


async def test_the_model_knows_what_wwording_of_before_and_no_more_than_of_a_visitor(tmp_path: Path) -> None:
    model = ScriptedChatModel(["It is two years [1]."])
    told = tuple(Exchange(f"Question {number}?", f"Answer {number}.") for number in range(TURNS + 2))
    async with answering_house(tmp_path, model=model) as house:
        asked = PlaygroundQuestion("How long is the warranty of a lamp with a battery?", history=told)
        answer = await house.answering.playground.ask(house.workspace_id, house.agent_id, asked, "draft")
    shown = " ".join(message.content for message in answer.prompt)
    assert [exchange.question in shown for exchange in told] == [False] * 2 + [True] * TURNS


def _said(events: list[TurnEvent]) -> str:
    return "".join(event.token for event in events if isinstance(event, Token))
