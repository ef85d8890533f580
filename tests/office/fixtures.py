"""The office that operators work in, where a test does not furnish one of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.office.office import Office, open_office


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(tmp_path) as opened:
        yield opened
