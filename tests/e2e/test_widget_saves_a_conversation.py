"""A visitor takes a conversation along: as a file, or by mail to the address that their website has signed."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.doubles.scripted_widget_api import Refuse, ScriptedWidgetApi, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.test_widget_is_for_everyone import AXE, VIOLATIONS

QUESTION = "Why?"
ANN = "ann@example.com"


@pytest.fixture
def talked(site: Site) -> Site:
    site.api.script[QUESTION] = [*tokens("So."), done()]
    last = "2026-03-01T10:00:00Z"
    site.api.conversations = [{"id": site.api.conversation, "first_question": QUESTION, "last_active_at": last}]
    return site


def listed(page: Page, site: Site) -> Locator:
    """The list of conversations, in the visitor's first one."""
    chat = Chat.opened(page, site)
    expect(page.get_by_role("button", name="Your conversations")).to_be_hidden()
    chat.ask(QUESTION)
    chat.finish()
    page.get_by_role("button", name="Your conversations").click()
    return page.get_by_role("button", name="Save this conversation")


def posts(api: ScriptedWidgetApi) -> list[Any]:
    return [call.body for call in api.calls_to("/transcript") if call.method == "POST"]


def test_without_a_signed_address_it_is_a_file(page: Page, talked: Site) -> None:
    save = listed(page, talked)
    with page.expect_download() as downloading:
        save.click()
    file = downloading.value
    assert file.suggested_filename.startswith("localhost-")
    assert file.suggested_filename.endswith(".txt")
    assert file.path().read_text("utf-8") == talked.api.transcript["text"]
    expect(save).to_be_focused()
    assert posts(talked.api) == []


def test_it_is_sent_to_the_signed_address_that_the_visitor_sees_before(page: Page, talked: Site) -> None:
    talked.api.transcript["mails_to"] = ANN
    save = listed(page, talked)
    save.focus()
    page.keyboard.press("Enter")
    send = page.get_by_role("button", name=ANN)
    expect(send).to_be_focused()
    assert posts(talked.api) == []
    page.keyboard.press("Enter")
    told = page.locator("docent-widget .saved p")
    expect(told).to_contain_text(ANN)
    expect(told).to_be_focused()
    assert posts(talked.api) == [None], "the server alone says where to"


def test_with_a_signed_address_it_may_be_a_file_as_well(page: Page, talked: Site) -> None:
    talked.api.transcript["mails_to"] = ANN
    listed(page, talked).click()
    with page.expect_download():
        page.get_by_role("button", name="Download as text").click()
    assert posts(talked.api) == []


def test_what_was_not_sent_says_so_and_can_be_sent_again(page: Page, talked: Site) -> None:
    talked.api.transcript["mails_to"] = ANN
    talked.api.refuse_mail = Refuse(429, "rate_limited")
    listed(page, talked).click()
    page.get_by_role("button", name=ANN).click()
    again = page.locator("docent-widget .saved").get_by_role("button", name="Try again")
    expect(again).to_be_focused()
    talked.api.refuse_mail = None
    again.click()
    expect(page.locator("docent-widget .saved p")).to_contain_text(ANN)


def test_where_nothing_was_said_nothing_is_offered(page: Page, talked: Site) -> None:
    page.add_init_script("localStorage['docent:a1'] = JSON.stringify({ anonymous_id: 'anonymous' })")
    talked.api.conversations[0]["id"] = "another"
    Chat.opened(page, talked)
    page.get_by_role("button", name="Your conversations").click()
    expect(page.locator("docent-widget .past .entry")).to_have_count(1)
    expect(page.locator("docent-widget .saved")).to_have_count(0)


def test_when_it_was_stands_below_each_question(page: Page, talked: Site) -> None:
    listed(page, talked)
    entry = page.locator("docent-widget .entry")
    title, place = entry.locator(".title").bounding_box(), entry.locator(".place").bounding_box()
    assert title is not None
    assert place is not None
    assert place["x"] == title["x"]
    assert place["y"] >= title["y"] + title["height"] - 1


@pytest.mark.parametrize(
    ("width", "theme", "lang", "forced"),
    [
        pytest.param(1100, "light", "en", "none", id="light"),
        pytest.param(320, "dark", "de", "none", id="a small phone, dark"),
        pytest.param(1100, "light", "ar", "none", id="right to left"),
        pytest.param(1100, "light", "en", "active", id="forced colours"),
    ],
)
def test_axe_finds_nothing_to_mend(
    browser: Browser, talked: Site, width: int, theme: str, lang: str, forced: Any
) -> None:
    talked.api.transcript["mails_to"] = ANN
    talked.write(lang=lang, attributes=f'data-theme="{theme}" data-color="#ffd400"')
    page = browser.new_page(viewport={"width": width, "height": 700}, reduced_motion="reduce", forced_colors=forced)
    try:
        page.goto(talked.origin)
        page.locator("docent-widget .launcher").click()
        box = page.locator("docent-widget textarea")
        box.fill(QUESTION)
        box.press("Enter")
        page.locator("docent-widget .actions").wait_for()
        page.locator("docent-widget .header .icon").first.click()
        page.locator("docent-widget .saved button").click()
        expect(page.locator("docent-widget .saved button")).to_have_count(2)
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS) == []
        assert page.locator("docent-widget .past").evaluate("past => past.scrollWidth - past.clientWidth") == 0
    finally:
        page.close()
