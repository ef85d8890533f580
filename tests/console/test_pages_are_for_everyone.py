"""Every page of the console in a real browser: axe finds nothing, light and dark, also on a phone; and no page is
wider than its screen, says anything on the browser's console, or needs a script."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from app.web.console.page import ConsolePage
from tests.console.conftest import ServedConsole
from tests.web.console.page_examples import every_page

AXE = Path(__file__).parents[2] / "widget" / "node_modules" / "axe-core" / "axe.min.js"
# Without what is no page of its own: a file, a stream, and every address that is none.
LEADS_AWAY = {"nothing", "sign_in_at_provider", "provider_answer", "signed_out", "sign_out_at_provider"}
GETS = [page for page in every_page() if page.method == "GET" and page.name not in LEADS_AWAY]
PAGES = [page for page in GETS if not page.is_file and not page.is_stream]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOK = """async (rules) => {
  const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: rules } });
  const told = (node) => `${node.target.join(' ')} | ${node.failureSummary}`;
  return violations.map((violation) => [violation.id, ...violation.nodes.map(told)].join('\\n  '));
}"""
TABLETS = (600, 768, 900, 1024)  # with the menu beside the page from 896 on
SIDEWAYS = "[...document.querySelectorAll('.as-cards')].filter((list) => list.scrollWidth > list.clientWidth).length"
# What is compared by its columns, or has tables in its cells, may be wider than a phone; other lists are made for it.
COMPARED = {
    *("Questions by day", "Hours of the day", "Days of the week", "Topics", "Agents", "Pages visitors asked on"),
    *("Languages", "Pages cited most", "Months, newest first", "Rows by store"),
    "The curve as a table",
}
AS_TABLES = "[...document.querySelectorAll('.table:not(.as-cards)')].map((list) => list.getAttribute('aria-label'))"
# A box answers where its label is pressed as well. Links in a text and buttons in a line of it are as high as that.
SMALL = """() => {
  document.querySelectorAll('details').forEach((each) => { each.open = true; });
  const sizes = (e) => [e, ...(e.labels ?? [])].map((each) => each.getBoundingClientRect());
  const isSmall = (e) => !sizes(e).some((size) => size.height > 43.9);
  const named = (e) => `${e.name || e.textContent.trim().slice(0, 30)} ${sizes(e)[0].height}`;
  return [...document.querySelectorAll('button:not(.link), .button, summary, select, textarea, input, nav a')]
    .filter((e) => e.getClientRects().length && e.type !== 'hidden' && isSmall(e)).map(named);
}"""
ONE_PRESS = """[...document.querySelectorAll('button.danger')]
  .filter((button) => !button.closest('details')).map((button) => button.textContent)"""
EMPTY = "[...document.querySelectorAll('.as-cards td:empty')].filter((cell) => cell.getClientRects().length).length"

STICKS_OUT = """[...document.querySelectorAll('.as-cards td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"""
UNLABELLED = """[...document.querySelectorAll('.as-cards td[data-label]')].filter((cell) =>
  cell.getClientRects().length && parseFloat(getComputedStyle(cell).paddingInlineStart) < 100).length"""


def opened(browser: Browser, served: ServedConsole, is_signed_in: bool, **look: object) -> Page:
    context = browser.new_context(**look)  # type: ignore[arg-type]  # playwright's many options
    if is_signed_in:
        served.sign_in(context)
    return context.new_page()


def go(shown: Page, served: ServedConsole, page: ConsolePage) -> None:
    answer = shown.goto(served.base + served.console.path(page), wait_until="load")
    assert answer is not None
    assert answer.status == 200, shown.content()


@each_page
def test_axe_finds_nothing_to_mend(page: ConsolePage, browser: Browser, served: ServedConsole) -> None:
    """A page is drawn at each width; its colours are a matter of its style alone, and change where it stands."""
    shown = opened(browser, served, page.scope is not None)
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    for width in (1280, 390):
        shown.set_viewport_size({"width": width, "height": 800})
        go(shown, served, page)
        assert said == [], "a page runs and loads nothing that the policy refuses"
        assert shown.evaluate(ONE_PRESS) == [], "what is gone for good takes a second press"
        # Folds are opened, so that axe sees what is in them.
        shown.evaluate("document.querySelectorAll('details.fold').forEach((fold) => { fold.open = true; })")
        shown.evaluate(AXE.read_text("utf-8"))  # by the debugger, so that the page's policy stays as it is
        for scheme in SCHEMES:
            shown.emulate_media(color_scheme=scheme)
            violations = shown.evaluate(LOOK, RULES)
            assert violations == [], f"{scheme}, {width} px wide: " + "\n".join(violations)
            too_wide = shown.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert too_wide <= 0, f"{scheme}: {too_wide} px wider than the screen of {width}"
        assert shown.evaluate(SIDEWAYS) == 0, "a list is wider than its room"
        assert {label.removesuffix(", numbers") for label in shown.evaluate(AS_TABLES)} <= COMPARED
        assert width > 390 or shown.evaluate(UNLABELLED) == 0, "a cell of a card does not say what it is of"
        assert shown.evaluate(STICKS_OUT) == [], "what is in a cell is wider than it"
        assert width > 390 or shown.evaluate(EMPTY) == 0, "a cell without a word keeps its head on a phone"
    for width in TABLETS:
        shown.set_viewport_size({"width": width, "height": 800})
        assert shown.evaluate(SIDEWAYS) == 0, f"a list is wider than its room on a screen of {width}"
    shown.context.close()


@each_page
def test_what_is_touched_has_room_for_a_thumb(page: ConsolePage, browser: Browser, served: ServedConsole) -> None:
    phone = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}
    shown = opened(browser, served, page.scope is not None, **phone)
    go(shown, served, page)
    assert shown.evaluate(SMALL) == []
    too_wide = shown.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide <= 0
    shown.context.close()


@pytest.fixture(scope="module")
def without_scripts(browser: Browser, served: ServedConsole) -> Iterator[Mapping[bool, Page]]:
    """A page that is signed in, and one that is not: such a page keeps nothing of the one before."""
    pages = {is_in: opened(browser, served, is_in, java_script_enabled=False) for is_in in (True, False)}
    yield pages
    for page in pages.values():
        page.context.close()


@each_page
def test_a_page_reads_without_scripts(
    page: ConsolePage, without_scripts: Mapping[bool, Page], served: ServedConsole
) -> None:
    shown = without_scripts[page.scope is not None]
    go(shown, served, page)
    assert shown.locator("h1").count() == 1
    if shown.locator("[autofocus]").count() == 0:  # else the keyboard begins there
        shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        expect(shown, "the first stop of the keyboard leads past the menu").to_have_url(re.compile("#main$"))


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_the_menu_of_a_phone_opens_and_leads_on(has_scripts: bool, browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=has_scripts)
    served.sign_in(context)
    shown = context.new_page()
    shown.goto(f"{served.base.rstrip('/')}/console/account")
    menu, entry = shown.get_by_role("button", name="Menu"), shown.get_by_role("link", name="Operators")
    expect(entry).to_have_count(0)
    menu.click()
    expect(shown.get_by_role("link", name="Overview")).to_be_in_viewport()
    shown.get_by_role("navigation", name="Console").get_by_text("Workspace", exact=True).click()
    entry.scroll_into_view_if_needed()
    expect(entry).to_be_in_viewport()
    if has_scripts:
        shown.evaluate(AXE.read_text("utf-8"))
        violations = shown.evaluate(LOOK, RULES)
        assert violations == [], "\n".join(violations)
    shown.get_by_role("button", name="Close").click()
    expect(entry).to_have_count(0)
    menu.click()
    entry.click()  # its group is still open
    expect(shown.get_by_role("heading", level=1)).to_have_text("Operators")
    context.close()
