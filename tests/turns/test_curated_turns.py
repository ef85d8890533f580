"""Questions that an operator has written the answer to."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.turn import AnsweredBy
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import done, text


async def test_a_curated_answer_comes_first_and_skips_the_search(house: AnsweringHouse) -> None:
    answer = CuratedAnswer(uuid4(), house.agent_id, Trigger.PHRASE, "talk to a person", "Call 0123 456.")
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
    house.vectors.is_down = house.keywords.is_down = True
    events = await house.ask("Can I talk to a person?")
    assert text(events) == "Call 0123 456."
    assert done(events).answered_by is AnsweredBy.CURATED
    assert done(events).confidence == 1.0
    with house.record.reading() as tx:
        given = CuratedAnswerRecords(tx).answer(house.agent_id, answer.id)
    assert (given.hits, given.last_hit_at) == (1, house.clock.now())


async def test_a_follow_up_of_a_curated_answer_is_understood(house: AnsweringHouse) -> None:
    answer = CuratedAnswer(uuid4(), house.agent_id, Trigger.EXACT, "do you repair lamps?", "Yes, all of them.")
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(answer)
    await house.ask("Do you repair lamps?")
    asked = "Do you repair lamps? and the warranty?"

    await house.ask("and the warranty?")

    with house.record.reading() as tx:
        [_, followed] = StoredTurnRecords(tx).of_conversation(house.session.conversation_id)
        history = StoredTurnRecords(tx).history(house.session.conversation_id, 6)
    assert followed.trace["standalone"] == asked
    assert (history[0].question, history[0].answer) == ("Do you repair lamps?", "Yes, all of them.")


async def test_the_model_reads_a_curated_answer_as_what_it_said_itself(tmp_path: Path) -> None:
    model = ScriptedChatModel()
    async with answering_house(tmp_path, model=model) as house:
        answer = CuratedAnswer(uuid4(), house.agent_id, Trigger.EXACT, "do you repair lamps?", "Yes, all of them.")
        with house.record.writing() as tx:
            CuratedAnswerRecords(tx).create(answer)
        await house.ask("Do you repair lamps?")
        assert model.requests == []
        await house.ask("How long is the warranty of a lamp?")
        assert [(message.role, message.content) for message in model.requests[0][1:3]] == [
            ("user", "Do you repair lamps?"),
            ("assistant", "Yes, all of them."),
        ]


@pytest.mark.parametrize(
    "narrowed",
    [
        pytest.param({"page_prefix": "/pricing"}, id="another page"),
        pytest.param({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, id="expired"),
        pytest.param({"language": "de"}, id="another language"),
    ],
)
async def test_a_curated_answer_for_elsewhere_is_not_given(house: AnsweringHouse, narrowed: dict[str, Any]) -> None:
    asked = "Can I please talk to a person about the warranty of my lamp?"
    plain = CuratedAnswer(uuid4(), house.agent_id, Trigger.PHRASE, "talk to a person", "Call 0123 456.")
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(replace(plain, **narrowed))
    assert done(await house.ask(asked)).answered_by is not AnsweredBy.CURATED
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(replace(plain, id=uuid4()))
    assert done(await house.ask(asked)).answered_by is AnsweredBy.CURATED
