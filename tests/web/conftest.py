from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.web.house import House, VisitorHttp, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
async def still_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One house for all tests that change nothing in it."""
    async with open_house(tmp_path_factory.mktemp("still_house")) as opened:
        yield opened


@pytest.fixture
async def visitor(house: House) -> VisitorHttp:
    return await house.visitor()
