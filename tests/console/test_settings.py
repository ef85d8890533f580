"""Beside an agent's settings: a panel that looks as they say and answers by the draft, and a field that finds some."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES


@pytest.fixture
def page(context: BrowserContext, served: ServedConsole) -> Page:
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/settings")
    return page


def test_the_panel_looks_as_the_fields_say_before_they_are_saved(page: Page) -> None:
    panel = page.get_by_role("region", name="Panel")
    page.get_by_role("textbox", name="Name").first.fill("Lamp shop")
    page.get_by_label("Greeting").fill("Welcome to the lamp shop")
    page.get_by_label("Colour", exact=True).fill("#ffd400")
    page.get_by_label("Starter questions").fill("What does it cost?\n\nWho are you?")
    expect(panel).to_contain_text("Lamp shop")
    expect(panel).to_contain_text("Welcome to the lamp shop")
    expect(panel.get_by_role("listitem")).to_have_text(["What does it cost?", "Who are you?"])
    head = panel.locator(".panel-head")
    expect(head).to_have_css("background-color", "rgb(255, 212, 0)")
    expect(head).to_have_css("color", "rgb(0, 0, 0)")
    page.get_by_label("Colour", exact=True).fill("#7a1f5c")
    expect(head).to_have_css("color", "rgb(255, 255, 255)")


def test_the_panel_answers_by_the_draft_and_knows_what_was_said(page: Page) -> None:
    panel = page.get_by_role("region", name="Panel")
    expect(panel).to_be_in_viewport()
    asking = panel.get_by_role("textbox", name="Ask the draft")
    asking.fill("What does it cost?")
    asking.press("Enter")
    said = panel.locator("#said > li")
    expect(said).to_have_count(2)
    expect(said.last).to_contain_text("confidence")
    expect(said.get_by_role("link", name="Trace")).to_have_count(0)
    expect(asking).to_have_value("")
    page.get_by_label("Starter questions").fill("And what for teams?")
    panel.get_by_role("button", name="And what for teams?").click()
    expect(said).to_have_count(4)
    expect(page.get_by_role("heading", name="Agent settings")).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    violations = page.evaluate(LOOK, RULES)
    assert violations == [], "\n".join(violations)


def test_a_question_that_cannot_be_asked_is_refused_in_the_panel(page: Page) -> None:
    panel = page.get_by_role("region", name="Panel")
    asking = panel.get_by_role("textbox", name="Ask the draft")
    asking.fill(" ")
    asking.press("Enter")
    expect(panel.get_by_role("alert")).to_be_visible()
    asking.fill("What does it cost?")
    asking.press("Enter")
    expect(panel.locator("#said > li")).to_have_count(2)
    expect(panel.get_by_role("alert")).to_have_count(0)


def test_a_word_finds_the_settings_that_have_it(page: Page) -> None:
    finder = page.get_by_role("searchbox", name="Find a setting")
    finder.fill("opening HOURS")
    expect(page.get_by_label("Opening hours")).to_be_visible()
    expect(page.get_by_label("Persona")).to_be_hidden()
    expect(page.get_by_role("heading", name="Identity")).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text="settings")).to_contain_text("2 of")
    finder.fill("")
    expect(page.get_by_label("Persona")).to_be_visible()


def test_experimental_search_settings_are_folded_until_they_are_found(page: Page) -> None:
    page.get_by_role("link", name="Search", exact=True).last.click()
    field = page.get_by_label("Search for a hypothetical answer")
    expect(field).to_be_hidden()
    page.get_by_role("searchbox", name="Find a setting").fill("hypothetical")
    expect(field).to_be_visible()
