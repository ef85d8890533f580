"""One turn, one language: prompt, curated answers, our own words and the record agree on it."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.core.text.canned_messages import canned_messages
from app.core.turn_events import Token, TurnEvent
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel

GERMAN = "Wann wurde eigentlich der Eiffelturm in Paris gebaut?"


def said(events: list[TurnEvent]) -> str:
    return "".join(event.token for event in events if isinstance(event, Token)).strip()


async def test_the_model_is_told_the_language_of_a_plain_question(tmp_path: Path) -> None:
    model = ScriptedChatModel()
    async with answering_house(tmp_path, model=model) as house:
        await house.ask("Wie lange kann ich meine Lampe zurückgeben?")
        translate, answer = (request[0].content for request in model.requests)
        assert "into English" in translate
        assert "German" in answer


async def test_the_visitors_locale_decides_where_the_question_does_not(tmp_path: Path) -> None:
    model = ScriptedChatModel()
    async with answering_house(tmp_path, model=model) as house:
        house.session = replace(house.session, locale="tr")
        await house.ask("Lumo 2")
        assert "Turkish" in model.requests[0][0].content


async def test_a_pinned_language_is_kept_whatever_is_asked(tmp_path: Path) -> None:
    model = ScriptedChatModel()
    async with answering_house(tmp_path, model=model, config=AgentConfig(name="Lamps", language="en")) as house:
        await house.ask(GERMAN)
        assert "English" in model.requests[0][0].content


async def test_without_a_model_the_refusal_is_in_the_questions_language(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        assert said(await house.ask(GERMAN)) == canned_messages("de").not_found


@pytest.mark.parametrize(
    ("question", "is_hit"),
    [
        ("Was kostet eigentlich der Versand bei euch?", True),
        ("How much do you charge for shipping, what does der Versand cost?", False),
    ],
)
async def test_a_curated_answer_in_german_answers_german_questions(tmp_path: Path, question: str, is_hit: bool) -> None:
    async with answering_house(tmp_path) as house:
        with house.record.writing() as tx:
            CuratedAnswerRecords(tx).create(
                CuratedAnswer(uuid4(), house.agent_id, Trigger.PHRASE, "der versand", "Kostenlos.", language="de")
            )
        assert (said(await house.ask(question)) == "Kostenlos.") is is_hit
