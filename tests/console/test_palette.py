"""From every page one comes anywhere by Ctrl K and the keyboard alone, and by the page Search without a script."""

import re

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES


def at(page: Page, served: ServedConsole, where: str = "/console") -> None:
    page.goto(f"{served.base.rstrip('/')}{where}")


def test_one_goes_to_a_page_by_keyboard_alone(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    at(page, served)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox")
    expect(field).to_be_focused()
    page.keyboard.type("lea")
    option = page.get_by_role("option", name="Leads")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", str(option.get_attribute("id")))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/leads$"))


def test_it_finds_what_was_asked_and_shows_it_in_kinds(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    at(page, served)
    page.get_by_role("link", name="Search").click()
    page.keyboard.type("discount")
    gap = page.get_by_role("group", name="Gaps").get_by_role("option", name="Is there a discount?")
    expect(gap).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(LOOK, RULES) == []
    while gap.get_attribute("aria-selected") != "true":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/gaps/[0-9a-f-]{36}$"))


def test_it_goes_round_and_away_and_gives_the_focus_back(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    at(page, served, f"/console/agents/{agent}/conversations")
    words = page.get_by_label("Text", exact=True)
    words.focus()
    page.keyboard.press("Meta+k")
    options = page.get_by_role("dialog").get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.type("xqz")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("0 results")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(words).to_be_focused()


def test_without_a_script_a_page_finds_the_same(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(java_script_enabled=False)
    served.sign_in(context)
    page = context.new_page()
    at(page, served)
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox", name="Search the console").fill("discount")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found").get_by_role("link", name="Is there a discount?").first).to_be_visible()
    page.get_by_role("searchbox", name="Search the console").fill("audit")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found").get_by_role("link", name="Audit")).to_be_visible()
    context.close()


def test_a_page_for_those_who_are_not_signed_in_does_not_load_it(
    context: BrowserContext, served: ServedConsole
) -> None:
    page = context.new_page()
    at(page, served, "/console/sign-in")
    assert page.locator('script[src*="palette"]').count() == 0
