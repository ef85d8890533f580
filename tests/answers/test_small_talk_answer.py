"""A message that asks nothing gets a short reply: no search, no model, no gap, no warning."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.records import PastTurnRecords
from app.core.turn import AnsweredBy
from app.core.turn_events import Done, Start, Token
from app.quality.records.quality import QualityRecords
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import done, open_gaps, text


@pytest.mark.parametrize("message", ["Hi!", "thanks", "Bye", "who are you?", "ok", "👍"])
async def test_it_is_answered_without_search_and_without_model(tmp_path: Path, message: str) -> None:
    model = ScriptedChatModel(())
    async with answering_house(tmp_path, model=model) as house:
        house.vectors.is_down = house.keywords.is_down = house.embedder.is_down = True
        events = await house.ask(message)
        assert [type(event) for event in events] == [Start, Token, Done]
        end = done(events)
        assert (end.answered_by, end.low_confidence) == (AnsweredBy.SMALL_TALK, False)
        assert model.requests == []
        await house.turns.feedback(house.session, house.sent[-1].turn_id, "down", "")
        assert await open_gaps(house) == []


async def test_a_question_that_begins_with_a_greeting_is_searched_for(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        events = await house.ask("Hi, how long is the warranty of a lamp?")
        assert "3 years" in text(events)


async def test_the_reply_is_in_the_language_of_the_question_before(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await house.ask("Wie lange kann ich meine Lampe eigentlich zurückgeben?")
        assert text(await house.ask("ok")).startswith("Alles klar")
        house.session = replace(house.session, locale="fr")
        assert text(await house.ask("muchas gracias")).startswith("¡De nada!")


async def test_who_are_you_is_answered_with_the_agents_name_and_that_it_is_a_program(tmp_path: Path) -> None:
    async with answering_house(tmp_path, config=AgentConfig(name="Lumo")) as house:
        said = text(await house.ask("Hi, who are you?"))
        assert "Lumo" in said
        assert "AI" in said


async def test_an_operators_answer_comes_first(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        with house.record.writing() as tx:
            CuratedAnswerRecords(tx).create(
                CuratedAnswer(uuid4(), house.agent_id, Trigger.EXACT, "hello", "Welcome to the lamp shop.")
            )
        events = await house.ask("Hello!")
        assert text(events) == "Welcome to the lamp shop."
        assert done(events).answered_by is AnsweredBy.CURATED


async def test_operators_weigh_questions_alone(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await house.ask("How long is the warranty of a lamp?")
        await house.ask("thanks")
        now = house.clock.now()
        with house.record.reading() as tx:
            [day] = QualityRecords(tx).days([house.agent_id], now.date(), 1)[house.agent_id]
            past = PastTurnRecords(tx).since(house.agent_id, now.replace(year=2000), 10)
        assert day.turns == 1
        assert [turn.asked.question for turn in past] == ["How long is the warranty of a lamp?"]
