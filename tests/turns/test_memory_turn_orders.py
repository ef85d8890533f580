"""The orders of one process."""

import pytest

from app.turns.remote.memory_turn_orders import MemoryTurnOrders
from tests.contracts.turn_orders_contract import TurnOrdersContract


class TestMemoryTurnOrders(TurnOrdersContract):
    @pytest.fixture
    def orders(self) -> MemoryTurnOrders:
        return MemoryTurnOrders()
