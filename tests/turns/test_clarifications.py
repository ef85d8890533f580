"""A question asked back: which product is meant?"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.clarifying_writer import clarified
from app.core.text.canned_messages import canned_messages
from app.core.text.languages import LANGUAGES
from app.core.turn import AnsweredBy, Exchange
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.every_row import every_row
from tests.turns.outcomes import done, open_gaps, stored, text

QUESTION = "How do I reset the lamp?"
ASKED_BACK = "Which one do you mean? Nordlys / Solvind"


async def learn_lamps(house: AnsweringHouse) -> None:
    await house.learn(
        "/nordlys", "# Nordlys\n\n## Reset the lamp\n\nTo reset the lamp press its button for ten seconds."
    )
    await house.learn(
        "/solvind", "# Solvind\n\n## Reset the lamp\n\nPull the plug and wait a minute to reset the lamp."
    )


@pytest.fixture
async def lamps(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path) as house:
        await learn_lamps(house)
        yield house


async def test_the_names_are_offered_and_the_one_chosen_is_answered(lamps: AnsweringHouse) -> None:
    events = await lamps.ask(QUESTION)
    assert text(events) == ASKED_BACK
    assert done(events).answered_by is AnsweredBy.CLARIFICATION
    assert done(events).next_questions == ("Nordlys", "Solvind")
    assert not done(events).low_confidence
    assert (await stored(lamps)).next_questions == ("Nordlys", "Solvind")

    events = await lamps.ask("Solvind")
    assert done(events).answered_by is AnsweredBy.EXTRACTIVE
    assert text(events).index("Pull the plug") >= 0
    assert (await stored(lamps)).trace["standalone"] == f"{QUESTION} (Solvind)"
    assert await open_gaps(lamps) == []


async def test_a_name_with_a_slash_stays_one_choice(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await learn_lamps(house)
        await house.learn(
            "/solvind", "# Solvind / Sol\n\n## Reset the lamp\n\nPull the plug and wait a minute to reset the lamp."
        )
        events = await house.ask(QUESTION)
        assert text(events) == f"{ASKED_BACK}/Sol"
        assert done(events).next_questions == ("Nordlys", "Solvind/Sol")
        assert "Pull the plug" in text(await house.ask("Solvind/Sol"))


async def test_it_is_asked_once(lamps: AnsweringHouse) -> None:
    await lamps.ask(QUESTION)
    again = await lamps.ask(QUESTION)
    assert done(again).answered_by is AnsweredBy.EXTRACTIVE


async def test_a_question_that_names_one_is_answered(lamps: AnsweringHouse) -> None:
    events = await lamps.ask("How do I reset the lamp Solvind?")
    assert done(events).answered_by is AnsweredBy.EXTRACTIVE
    assert "Pull the plug" in text(events)


async def test_a_model_is_only_called_for_the_choice(tmp_path: Path) -> None:
    model = ScriptedChatModel(["Press its button for ten seconds [1]."])
    async with answering_house(tmp_path, model=model) as house:
        await learn_lamps(house)
        assert text(await house.ask(QUESTION)) == ASKED_BACK
        assert model.requests == []
        events = await house.ask("the Nordlys")
    assert done(events).answered_by is AnsweredBy.MODEL
    [messages] = model.requests
    assert QUESTION in messages[-3].content
    assert messages[-2].content == ASKED_BACK


async def test_an_agent_may_do_without(tmp_path: Path) -> None:
    async with answering_house(tmp_path, config=AgentConfig(name="Lamps", ask_back=False)) as house:
        await learn_lamps(house)
        assert done(await house.ask(QUESTION)).answered_by is AnsweredBy.EXTRACTIVE


@every_row("language", sorted(LANGUAGES))
def test_a_choice_is_understood_in_every_language(language: str) -> None:
    asked = [Exchange("How much?", f"{canned_messages(language).which_one} Basic / Pro Max")]
    assert clarified("pro max", asked) == "How much? (pro max)"
    assert clarified("where do you live", asked) == ""


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        pytest.param("Texas", "Which form? (Texas)", id="a name that was not offered"),
        pytest.param("thanks", "", id="small talk"),
        pytest.param("how do I sign in to my account", "", id="another question"),
    ],
)
def test_any_name_is_a_choice_where_there_may_be_more(reply: str, read: str) -> None:
    asked = [Exchange("Which form?", f"{canned_messages('en').which_one} Ohio / Utah / Iowa / \u2026")]
    assert clarified(reply, asked) == read


def test_nothing_is_a_choice_unless_the_last_answer_asked_back() -> None:
    asked = Exchange("How much?", f"{canned_messages('en').which_one} Basic / Pro")
    assert clarified("Pro", [asked, Exchange("Basic", "It costs 3 euros [1].")]) == ""
    assert clarified("Pro", [Exchange("Which one do you mean?", asked.answer, is_with_person=True)]) == ""
    assert clarified("Pro", []) == ""
