"""Conversations are worked through by keyboard alone, and by the same forms without a script."""

import itertools
import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES


def inbox(page: Page, served: ServedConsole, query: str = "") -> None:
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/conversations{query}")


def test_one_works_through_the_list_by_keyboard_alone(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served)
    questions = page.locator(".inbox-question")
    asked = questions.all_inner_texts()
    assert len(asked) > 4
    page.keyboard.press("j")
    expect(questions.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    expect(questions.nth(1)).to_be_focused()
    page.keyboard.press("e")
    expect(page.get_by_role("status").filter(has_text="1 conversation closed.")).to_be_visible()
    expect(questions).to_have_count(len(asked) - 1)
    expect(questions.nth(1), "the focus stays at its place").to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(".inbox input:checked")).to_have_count(2)
    page.keyboard.press("e")
    expect(questions).to_have_count(len(asked) - 3)
    page.get_by_role("button", name="Undo").click()
    expect(questions).to_have_count(len(asked) - 1)
    page.keyboard.press("/")
    expect(page.get_by_label("Text")).to_be_focused()
    page.keyboard.type("jex?")
    expect(page.get_by_label("Text")).to_have_value("jex?")


def test_a_wide_window_has_list_thread_and_visitor_side_by_side(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.set_viewport_size({"width": 1200, "height": 800})
    inbox(page, served, "?state=all")
    asked = page.locator(".inbox-question").all_inner_texts()
    page.locator(".inbox-question").nth(1).click()
    pane = page.get_by_role("navigation", name="Conversations in the list")
    links = pane.get_by_role("link")
    expect(links).to_have_text(asked)
    expect(links.nth(1)).to_have_attribute("aria-current", "page")
    edges = [page.locator(each).bounding_box() for each in (".pane", ".thread", "section:has(> #about)")]
    places = [(box["x"], box["x"] + box["width"]) for box in edges if box]
    assert [end <= start for (_, end), (start, _) in itertools.pairwise(places)] == [True, True]
    links.nth(2).click()
    expect(links.nth(2)).to_have_attribute("aria-current", "page")
    expect(page).to_have_url(re.compile("state=all"))
    page.evaluate(AXE.read_text("utf-8"))
    violations = page.evaluate(LOOK, RULES)
    assert violations == [], "\n".join(violations)
    page.set_viewport_size({"width": 1200, "height": 600})
    links.last.click()
    expect(links.last).to_have_attribute("aria-current", "page")
    expect(links.last).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0, "only the list is scrolled to it"
    page.set_viewport_size({"width": 1199, "height": 800})
    expect(pane).to_be_hidden()


def test_a_phone_begins_with_the_list_and_shows_what_narrows_it(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served)
    outcome, assignee = page.get_by_label("Outcome"), page.get_by_label("Assignee").first
    expect(outcome).to_be_hidden()
    expect(page.locator(".inbox-question").first).to_be_in_viewport()
    page.get_by_text("More filters").click()
    expect(outcome).to_be_visible()
    outcome.select_option("Not answered")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page).to_have_url(re.compile("outcome=unanswered"))
    expect(assignee).to_be_hidden()
    expect(outcome, "what is chosen stays in sight").to_be_visible()
    context.close()


def test_from_conversation_to_conversation_by_keyboard(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served, "?outcome=unanswered&state=all")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/conversations/[0-9a-f-]{36}\?"))
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile(r"/conversations\?.*outcome=unanswered"))


def test_the_keys_are_listed_and_can_be_switched_off(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard")
    expect(keys).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(LOOK, RULES) == []
    keys.get_by_label("Use keyboard shortcuts").uncheck()
    keys.get_by_role("button", name="Done").click()
    page.keyboard.press("j")
    expect(page.locator(".inbox-question:focus")).to_have_count(0)
    page.reload()
    page.keyboard.press("?")
    expect(keys).to_be_hidden()
    page.get_by_role("button", name="Keyboard").click()
    keys.get_by_label("Use keyboard shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".inbox-question").first).to_be_focused()


def test_what_is_done_with_many_shows_once_one_is_chosen(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served, "?state=all")
    together = page.get_by_role("group", name="Actions for the selection")
    expect(together).to_be_hidden()
    page.locator(".inbox input").first.check()
    expect(together.get_by_role("button", name="Close")).to_be_visible()
    page.locator(".inbox input").first.uncheck()
    expect(together).to_be_hidden()
    page.get_by_role("button", name="Select all on this page").click()
    expect(together).to_be_visible()


@pytest.mark.parametrize(
    ("path", "does"),
    [
        ("conversations?state=all", "Close"),
        ("gaps", "Ignore selected"),
        ("stale-answers", "Settle selected"),
    ],
    ids=["conversations", "gaps", "stale answers"],
)
@pytest.mark.parametrize(("width", "height"), [(390, 420), (1280, 420)], ids=["phone", "wide"])
def test_what_is_done_with_those_chosen_is_in_sight(
    path: str, does: str, width: int, height: int, browser: Browser, served: ServedConsole
) -> None:
    """Of a long list as well, which a low window stands for."""
    context = browser.new_context(viewport={"width": width, "height": height})
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/{path}")
    page.locator("main :is(.inbox, table) input[type=checkbox]").first.check()
    expect(page.locator("main").get_by_text(does, exact=True)).to_be_in_viewport(ratio=1)
    context.close()


def test_many_are_labelled_without_a_script(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 800})
    served.sign_in(context)
    page = context.new_page()
    inbox(page, served, "?state=all")
    expect(page.get_by_role("button", name="Keyboard")).to_be_hidden()
    for box in page.locator(".inbox input").all()[:2]:
        box.check()
    page.get_by_role("group", name="Actions for the selection").get_by_label("Label").fill("urgent")
    page.get_by_role("button", name="Add label").click()
    expect(page.get_by_role("status").filter(has_text="2 conversations labelled.")).to_be_visible()
    expect(page.locator(".badge.label", has_text="urgent")).to_have_count(2)
    context.close()
