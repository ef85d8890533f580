"""Tabs stand in one row: on a phone it scrolls, and begins with the one that is shown."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.conftest import ServedConsole

ROWS = """[...document.querySelectorAll('.tabs ul')].map((row) =>
  new Set([...row.children].map((tab) => Math.round(tab.getBoundingClientRect().top))).size)"""


def on_a_phone(browser: Browser, served: ServedConsole, path: str, *, has_scripts: bool = True) -> Page:
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, java_script_enabled=has_scripts, has_touch=True, is_mobile=True
    )
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/{path}")
    return page


@pytest.mark.parametrize(("path", "shown"), [("settings/file", "File"), ("settings", "Settings"), ("gaps", "Open")])
def test_a_phone_shows_the_tab_of_the_page(path: str, shown: str, browser: Browser, served: ServedConsole) -> None:
    page = on_a_phone(browser, served, path)
    assert page.evaluate(ROWS) == [1]
    current = page.locator(".tabs [aria-current]")
    expect(current).to_contain_text(shown)
    expect(current).to_be_in_viewport(ratio=1)
    page.context.close()


def test_the_other_tabs_are_a_touch_away_without_scripts(browser: Browser, served: ServedConsole) -> None:
    page = on_a_phone(browser, served, "settings", has_scripts=False)
    last = page.locator(".tabs a").last
    expect(last).not_to_be_in_viewport(ratio=1)
    last.tap()
    expect(page.locator(".tabs [aria-current]")).to_have_text("File")
    page.context.close()
