"""The turn log of a web process that is alone keeps nothing, and nobody misses it."""

from app.turns.remote.turn_log import Growth
from app.turns.remote.unshared_turn_log import UnsharedTurnLog
from tests.contracts.turn_log_contract import a_head, a_whole_turn


async def test_it_keeps_nothing_and_has_lost_nothing() -> None:
    log, head = UnsharedTurnLog(), a_head()

    assert not await log.append([Growth(head, a_whole_turn(head))])

    assert await log.head(head.turn_id) is None
    assert await log.read(head.turn_id, 0, wait_seconds=0) == []
