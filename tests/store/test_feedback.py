"""What visitors say of answers."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, select

from app.conversations.records.turns import TurnRecords
from app.core.errors import InvalidInput, NotFound
from app.core.turn import VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import FEEDBACK
from tests.store.sample_rows import an_id, ask


async def test_a_later_rating_replaces_the_first(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    turn_id = await ask(record, session)
    for rating, comment in (("down", "wrong"), ("up", "oh, right")):
        with record.writing() as tx:
            TurnRecords(tx).feedback(session, turn_id, rating, comment)
    with engine.connect() as connection:
        columns = select(FEEDBACK.c.turn_id, FEEDBACK.c.rating, FEEDBACK.c.comment)
        assert connection.execute(columns).all() == [(turn_id, "up", "oh, right")]


@pytest.mark.parametrize("name", ["agent_id", "visitor_id", "conversation_id"])
async def test_nobody_rates_a_turn_that_is_not_theirs(
    record: SystemOfRecord, session: VisitorSession, name: str
) -> None:
    turn_id = await ask(record, session)
    foreign: dict[str, Any] = {name: an_id()}
    for who, which in ((replace(session, **foreign), turn_id), (session, an_id())):
        with pytest.raises(NotFound, match="turn"), record.writing() as tx:
            TurnRecords(tx).feedback(who, which, "up", "")


async def test_a_rating_is_up_or_down(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(record, session)
    with pytest.raises(InvalidInput, match="rating"), record.writing() as tx:
        TurnRecords(tx).feedback(session, turn_id, "sideways", "")
