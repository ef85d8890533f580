"""The panel grows to its wide form and back: by its button, by the tag, by a call."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.doubles.scripted_widget_api import done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.test_widget_is_for_everyone import AXE

QUESTION = "How long do returns take?"
LONG = "\n\n".join(f"{number}. You have thirty days to send it back, unworn and in its box." for number in range(40))
NARROW, WIDE = 400, 672


def width(chat: Chat) -> float:
    box = chat.panel.bounding_box()
    assert box is not None
    return box["width"]


def test_a_visitor_makes_the_panel_wide_and_finds_it_so_again(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    button = page.get_by_role("button", name="Wide view")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert width(chat) == NARROW
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    assert width(chat) == WIDE
    page.add_script_tag(path=AXE)
    assert page.evaluate("axe.run().then((found) => found.violations.map((one) => one.id))") == []
    page.reload()
    assert width(Chat.opened(page, site)) == WIDE
    button.click()
    page.reload()
    assert width(Chat.opened(page, site)) == NARROW


def test_what_is_read_stays_in_view_when_its_lines_break_anew(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens(LONG, size=500), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    read = chat.answer.locator("li").nth(10)
    read.evaluate("e => e.scrollIntoView()")
    button = page.get_by_role("button", name="Wide view")
    for _ in range(2):
        button.click()
        gap = read.evaluate("e => e.getBoundingClientRect().top - e.closest('.log').getBoundingClientRect().top")
        assert abs(gap) <= 1


def test_the_tag_says_how_wide_it_begins_and_the_visitor_has_the_last_word(page: Page, site: Site) -> None:
    site.write(attributes='data-wide="true"')
    chat = Chat.opened(page, site)
    assert width(chat) == WIDE
    page.get_by_role("button", name="Wide view").click()
    page.reload()
    assert width(Chat.opened(page, site)) == NARROW


def test_the_theme_of_the_agent_says_how_wide_it_begins(page: Page, site: Site) -> None:
    site.api.agent |= {"theme": {"opens_wide": True}}
    chat = Chat.opened(page, site)
    expect(chat.log).to_contain_text("Hello!")
    assert width(chat) == WIDE


def test_a_page_makes_it_wide_by_a_call_until_the_visitor_says_otherwise(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    button = page.get_by_role("button", name="Wide view")
    button.dblclick()
    assert width(chat) == NARROW
    page.evaluate("Docent.update({ wide: true })")
    assert width(chat) == WIDE
    button.click()
    assert width(chat) == NARROW
    page.evaluate("Docent.update({ wide: null })")
    assert width(chat) == NARROW


def test_a_call_keeps_nothing_before_the_panel_opens(page: Page, site: Site) -> None:
    chat = Chat.visit(page, site)
    page.evaluate("Docent.update({ wide: true })")
    assert page.evaluate("localStorage.length") == 0
    chat.launcher.click()
    assert width(chat) == WIDE


@pytest.mark.parametrize("viewport", [(390, 844), (320, 256)], ids=["phone", "zoomed"])
def test_where_the_panel_fills_the_screen_there_is_nothing_to_widen(
    browser: Browser, site: Site, viewport: tuple[int, int]
) -> None:
    site.write(attributes='data-wide="true"')
    page = browser.new_page(viewport={"width": viewport[0], "height": viewport[1]})
    try:
        chat = Chat.opened(page, site)
        expect(page.get_by_role("button", name="Wide view")).to_have_count(0)
        assert width(chat) == viewport[0]
    finally:
        page.close()
