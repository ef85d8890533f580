"""Leads are worked through, and filters are kept, in a real browser: with a script and without one."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.conftest import ServedConsole


@pytest.fixture(params=[True, False], ids=["with a script", "without one"])
def page(browser: Browser, served: ServedConsole, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=request.param, viewport={"width": 1280, "height": 900})
    served.sign_in(context)
    yield context.new_page()
    context.close()


def at(page: Page, served: ServedConsole, kind: str, query: str = "") -> None:
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/{kind}{query}")


def test_a_chosen_lead_is_done_and_opened_again(page: Page, served: ServedConsole) -> None:
    at(page, served, "leads")
    chosen = page.get_by_role("button", name="Mark as done", exact=True)
    expect(chosen, "nothing is to be done with nothing").to_be_hidden()
    page.get_by_label("Select: Ann").check()
    chosen.click()
    expect(page.get_by_role("status").filter(has_text="1 lead done.")).to_be_visible()
    expect(page.get_by_role("heading", name="Ann")).to_have_count(0)
    page.get_by_role("link", name=re.compile("^Done")).click()
    expect(page.get_by_text("you, just now")).to_be_visible()
    page.get_by_role("button", name="Reopen: Ann").click()
    expect(page.get_by_role("status").filter(has_text="1 lead reopened.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Reopen: Ann").click()
    at(page, served, "leads", "?q=malta")
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()


def test_filters_are_saved_opened_renamed_and_deleted(page: Page, served: ServedConsole) -> None:
    at(page, served, "gaps")
    expect(page.get_by_text("Save these filters")).to_have_count(0)
    page.get_by_role("link", name="7 days").click()
    page.get_by_text("Save these filters").click()
    page.get_by_label("Name").fill("This week")
    page.get_by_role("button", name="Save", exact=True).click()
    saved = page.get_by_role("navigation", name="Saved filters")
    expect(saved.get_by_role("link", name="This week")).to_have_attribute("aria-current", "true")
    at(page, served, "gaps")
    saved.get_by_role("link", name="This week").click()
    expect(page).to_have_url(re.compile(r"\?days=7$"))
    saved.get_by_role("link", name="Edit").click()
    page.get_by_label("Name of This week").fill("Of 7 days")
    page.get_by_role("button", name="Rename This week").click()
    page.get_by_role("row", name="Of 7 days").get_by_text("Delete …").click()
    page.get_by_role("button", name="Delete Of 7 days").click()
    expect(page.get_by_role("link", name="Of 7 days")).to_have_count(0)
