"""The turn log of a web process that is alone keeps nothing, and nobody misses it; its orders reach itself."""

import pytest

from app.turns.remote.turn_log import EventBatch, MemoryTurnOrders, UnsharedTurnLog
from tests.contracts.turn_log_contract import a_head, a_whole_turn
from tests.contracts.turn_orders_contract import TurnOrdersContract


async def test_it_keeps_nothing_and_has_lost_nothing() -> None:
    log, head = UnsharedTurnLog(), a_head()

    assert not await log.append([EventBatch(head, a_whole_turn(head))])

    assert await log.head(head.turn_id) is None
    assert await log.read(head.turn_id, 0, wait_seconds=0) == []


class TestMemoryTurnOrders(TurnOrdersContract):
    @pytest.fixture
    def orders(self) -> MemoryTurnOrders:
        return MemoryTurnOrders()
