"""Gaps are gone through by keyboard; those ignored at once are taken back at once, without a script as well."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.console.conftest import ServedConsole


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_the_chosen_gaps_are_ignored_and_taken_back(browser: Browser, served: ServedConsole, has_scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=has_scripts)
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/gaps")
    boxes = page.get_by_role("checkbox", name="Select:")
    there = boxes.count()
    assert there
    ignore = page.locator("summary", has_text="Ignore selected")
    expect(ignore, "nothing is to be done with nothing").to_be_hidden()
    boxes.first.check()
    ignore.click()
    page.get_by_label("Reason").fill("not ours")
    page.get_by_role("button", name="Ignore", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="1 ignored.")).to_be_visible()
    expect(boxes).to_have_count(there - 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").filter(has_text="1 restored.")).to_be_visible()
    expect(boxes).to_have_count(there)
    context.close()


def test_gaps_are_chosen_and_opened_by_keyboard(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/gaps")
    expect(page.get_by_role("button", name="Keyboard")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Search questions")).to_be_focused()
    page.keyboard.type("jx")
    expect(page.get_by_label("Search questions")).to_have_value("jx")
    page.keyboard.press("Tab")
    page.keyboard.press("j")
    expect(page.locator("tbody th a").first).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_role("checkbox", name="Select:").first).to_be_checked()
    page.keyboard.press("e")
    expect(page.get_by_role("checkbox", name="Select:", checked=True), "no gap is closed by a key").to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/gaps/[0-9a-f-]{36}$"))
