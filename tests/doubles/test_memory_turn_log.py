"""The turn log in memory keeps the contract that the one in Redis keeps."""

import pytest

from app.turns.remote.turn_log import KEPT_SECONDS, EventBatch
from tests.contracts.turn_log_contract import TurnLogContract, a_head, a_whole_turn
from tests.doubles.memory_turn_log import MemoryTurnLog


class TestMemoryTurnLog(TurnLogContract):
    @pytest.fixture
    def log(self) -> MemoryTurnLog:
        return MemoryTurnLog()


async def test_a_turn_is_kept_for_ten_minutes_after_its_end_and_a_running_one_for_as_long_as_it_runs() -> None:
    now = 0.0
    log = MemoryTurnLog(now=lambda: now)
    ended, running = a_head(), a_head()
    await log.append([EventBatch(ended, a_whole_turn(ended)), EventBatch(running, a_whole_turn(running)[:2])])
    now = KEPT_SECONDS - 1
    assert await log.head(ended.turn_id) == ended
    now = KEPT_SECONDS
    assert await log.head(ended.turn_id) is None
    assert await log.head(running.turn_id) == running
