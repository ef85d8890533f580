"""A migrated database and an agent in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.sql.system_of_record import SqlSystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def record(tmp_path: Path, clock: FixedClock) -> AsyncIterator[SqlSystemOfRecord]:
    async with temporary_record(tmp_path, clock) as opened:
        yield opened
