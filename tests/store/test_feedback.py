"""What visitors say of answers."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.domain.errors import InvalidInput, NotFound
from app.domain.turn import (
    VisitorSession,
)
from app.store.models import FeedbackRow
from app.store.system_of_record import SystemOfRecord
from app.store.turns import TurnRecords
from tests.store.sample_rows import (
    an_id,
    ask,
)


async def test_a_later_rating_replaces_the_first(
    record: SystemOfRecord, session: VisitorSession, engine: AsyncEngine
) -> None:
    turn_id = await ask(record, session)
    for rating, comment in (("down", "wrong"), ("up", "oh, right")):
        async with record.write() as tx:
            await TurnRecords(tx).feedback(session, turn_id, rating, comment)
    async with engine.connect() as connection:
        columns = select(FeedbackRow.turn_id, FeedbackRow.rating, FeedbackRow.comment)
        assert (await connection.execute(columns)).all() == [(turn_id, "up", "oh, right")]


@pytest.mark.parametrize("name", ["agent_id", "visitor_id", "conversation_id"])
async def test_nobody_rates_a_turn_that_is_not_theirs(
    record: SystemOfRecord, session: VisitorSession, name: str
) -> None:
    turn_id = await ask(record, session)
    foreign: dict[str, Any] = {name: an_id()}
    for who, which in ((replace(session, **foreign), turn_id), (session, an_id())):
        with pytest.raises(NotFound, match="turn"):
            async with record.write() as tx:
                await TurnRecords(tx).feedback(who, which, "up", "")


async def test_a_rating_is_up_or_down(record: SystemOfRecord, session: VisitorSession) -> None:
    turn_id = await ask(record, session)
    with pytest.raises(InvalidInput, match="rating"):
        async with record.write() as tx:
            await TurnRecords(tx).feedback(session, turn_id, "sideways", "")
