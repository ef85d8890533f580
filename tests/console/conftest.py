"""The console in a real browser, served by a house in this process with one of everything in it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Keyboard, Locator, Page

from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.conftest import browser as browser
from tests.web.console.page_examples import OpenConsole, open_console
from tests.web.live_server import serving

COOKIE = "__Host-docent_console"


@dataclass
class ServedConsole:
    base: str
    console: OpenConsole

    def sign_in(self, context: BrowserContext, who: str = "admin") -> None:
        """With the session of the operator of that name."""
        secret = getattr(self.console, who).cookies[COOKIE]
        where = self.base.replace("http:", "https:")  # else the browser refuses a cookie that is for TLS alone
        context.add_cookies([{"name": COOKIE, "value": secret, "url": where, "secure": True, "httpOnly": True}])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedConsole]:
    """One console for all tests of a module."""
    with serving_console(tmp_path_factory.mktemp("console")) as console:
        yield console


@contextmanager
def serving_console(folder: Path) -> Iterator[ServedConsole]:
    started, asked_to_end = threading.Event(), threading.Event()
    found: list[ServedConsole] = []
    failed: list[BaseException] = []

    async def serve() -> None:
        async with open_console(folder) as console, serving(console.house.app) as (_, client):
            found.append(ServedConsole(str(client.base_url), console))
            started.set()
            await asyncio.to_thread(asked_to_end.wait)

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:  # told to the thread that waits
            failed.append(error)
            started.set()

    thread = threading.Thread(target=run, name="console", daemon=True)
    thread.start()
    try:
        started.wait()  # no longer than a test may take
        if failed:
            raise failed[0]
        yield found[0]
    finally:  # else a thread that began too late keeps the process from ending
        asked_to_end.set()
        thread.join(30)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture(autouse=True)
def keys_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is pressed while a page shows its text and its deferred scripts, which listen to keys, have yet to run."""
    keyboard, press = vars(Page)["keyboard"].fget, Locator.press

    def keyboard_that_is_heard(page: Page) -> Keyboard:
        page.wait_for_load_state("domcontentloaded")
        heard: Keyboard = keyboard(page)
        return heard

    def press_that_is_heard(locator: Locator, key: str, **options: Any) -> None:
        locator.page.wait_for_load_state("domcontentloaded")
        press(locator, key, **options)

    monkeypatch.setattr(Page, "keyboard", property(keyboard_that_is_heard))
    monkeypatch.setattr(Locator, "press", press_that_is_heard)
