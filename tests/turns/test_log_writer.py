"""Copying turns into the log, whatever the log makes of one of them."""

import asyncio
from collections.abc import Collection, Sequence
from uuid import UUID, uuid4

from app.core.turn_events import Start, Token
from app.kit.tasks import Supervisor
from app.turns.live_turn import LiveTurn
from app.turns.remote.log_writer import LogWriter
from app.turns.remote.turn_log import EventBatch, TurnHead
from tests.doubles.memory_turn_log import MemoryTurnLog


class ChokingTurnLog(MemoryTurnLog):
    """Cannot take what holds the word "poison"."""

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        for batch in batches:
            for numbered in batch.events:
                if isinstance(numbered.event, Token) and numbered.event.token == "poison":
                    raise UnicodeError("not to be written")
        return await super().append(batches)


def a_turn(writer: LogWriter, *tokens: str) -> LiveTurn:
    turn = LiveTurn(TurnHead(uuid4(), uuid4(), "asked"), grown=lambda: writer.grown(turn))
    turn.publish(Start(turn.turn_id, turn.conversation_id))
    for token in tokens:
        turn.publish(Token(token))
    return turn


async def test_a_turn_that_the_log_cannot_take_keeps_no_other_from_it() -> None:
    counted: list[str] = []
    log = ChokingTurnLog()
    async with asyncio.timeout(10), LogWriter(log, Supervisor(counted.append)) as writer:
        poisoned, well = a_turn(writer, "poison"), a_turn(writer, "It ", "is ")
        assert len(await log.read(well.turn_id, 2, 5)) == 1
        well.publish(Token("3 years."))
        assert [each.number for each in await log.read(well.turn_id, 3, 5)] == [4]
        assert await log.head(poisoned.turn_id) is None
    assert counted
    assert set(counted) == {"turn log"}
