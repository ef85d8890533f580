from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.web.console.browser import ConsoleBrowser, an_operator
from tests.web.console.page_examples import OpenConsole, open_console
from tests.web.house import House


@pytest.fixture
async def console(tmp_path: Path) -> AsyncIterator[OpenConsole]:
    async with open_console(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
async def still_console(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenConsole]:
    """One console for all tests of a module that change nothing in it."""
    async with open_console(tmp_path_factory.mktemp("console")) as opened:
        yield opened


@pytest.fixture
async def browser(house: House) -> ConsoleBrowser:
    """An operator's, who is signed in."""
    return await an_operator(house)
