"""The answering room with three pages learnt."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.doubles.answering_house import AnsweringHouse, answering_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    async with answering_house(tmp_path) as opened:
        yield opened
