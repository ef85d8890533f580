"""Gaps that were ignored at once are taken back at once, without a script as well."""

import pytest
from playwright.sync_api import Browser, expect

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
    ignore = page.locator("summary", has_text="Ignore those selected")
    expect(ignore, "nothing is to be done with nothing").to_be_hidden()
    boxes.first.check()
    ignore.click()
    page.get_by_label("Reason").fill("not ours")
    page.get_by_role("button", name="Ignore", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="1 ignored.")).to_be_visible()
    expect(boxes).to_have_count(there - 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").filter(has_text="1 taken back.")).to_be_visible()
    expect(boxes).to_have_count(there)
    context.close()
