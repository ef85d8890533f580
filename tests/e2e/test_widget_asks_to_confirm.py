"""A visitor is asked to confirm a change: by the keyboard, after a reload, in two tabs, in any theme and direction."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.doubles.scripted_widget_api import Refuse, confirm, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.test_widget_is_for_everyone import AXE, VIOLATIONS

QUESTION = "Cancel my order."
SAID = "Please check what is below and confirm it. Nothing has been done yet."


def a_confirmation(**changes: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "turn_id": "t1",
        "title": "Cancel an order",
        "summary": "Cancel order <b>A-17</b>?",
        "values": [{"name": "order", "label": "Order", "value": "<b>A-17</b>"}],
        "state": "asked",
        "text": "",
        "expires_at": (datetime.now(UTC) + timedelta(minutes=30)).isoformat(),
        **changes,
    }


@pytest.fixture
def shop(site: Site) -> Site:
    site.api.confirmation = a_confirmation()
    site.api.script[QUESTION] = [*tokens(SAID), confirm(site.api.confirmation), done()]
    return site


def card(page: Page) -> Locator:
    return page.get_by_role("group", name="Cancel order")


def outcome(page: Page) -> Locator:
    return card(page).get_by_role("status")


def asked(page: Page, shop: Site) -> Chat:
    chat = Chat.opened(page, shop)
    chat.ask(QUESTION)
    chat.finish()
    return chat


def said(shop: Site) -> list[str]:
    return [call.body["answer"] for call in shop.api.calls_to("/confirmations/c1") if call.method == "POST"]


def test_what_is_asked_is_shown_as_text_and_told_once_it_is_done(page: Page, shop: Site) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    asked(page, shop)
    expect(card(page).locator(".summary")).to_have_text("Cancel order <b>A-17</b>?")
    expect(card(page).locator("dl")).to_have_text("Order<b>A-17</b>")
    expect(card(page)).to_contain_text("You can answer until")
    expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
    assert said(shop) == []
    page.get_by_role("button", name="Yes, do it").click()
    expect(outcome(page)).to_have_text("Cancelled.")
    expect(outcome(page)).to_be_focused()
    expect(card(page).get_by_role("button")).to_have_count(0)
    assert said(shop) == ["yes"]
    assert sum("/widget/confirm." in url for url in loaded) == 1


def test_the_keyboard_declines(page: Page, shop: Site) -> None:
    asked(page, shop)
    page.get_by_role("button", name="Yes, do it").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_text("You declined. Nothing was done.")
    expect(outcome(page)).to_be_focused()
    assert said(shop) == ["no"]


def test_an_answer_that_asks_nothing_loads_nothing_for_it(page: Page, site: Site) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    site.api.script[QUESTION] = [*tokens("Yes."), done()]
    asked(page, site)
    assert not any("/widget/confirm." in url or "/widget/people." in url for url in loaded)


def test_it_is_there_again_after_a_reload_and_can_still_be_confirmed(page: Page, shop: Site) -> None:
    turn = "2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"
    shop.api.messages = [
        {"id": "1", "turn_id": turn, "role": "visitor", "text": QUESTION},
        {"id": "2", "turn_id": turn, "role": "agent", "text": SAID, "confirmation": shop.api.confirmation},
    ]
    Chat.opened(page, shop)
    expect(card(page)).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Yes, do it").click()
    expect(outcome(page)).to_have_text("Cancelled.")


def test_another_tab_sees_what_was_said_in_this_one(context: BrowserContext, shop: Site) -> None:
    turn = "2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"
    shop.api.messages = [
        {"id": "1", "turn_id": turn, "role": "visitor", "text": QUESTION},
        {"id": "2", "turn_id": turn, "role": "agent", "text": SAID, "confirmation": shop.api.confirmation},
    ]
    first, second = context.new_page(), context.new_page()
    Chat.opened(first, shop)
    Chat.opened(second, shop)
    expect(card(first)).to_be_visible()
    expect(card(second)).to_be_visible()
    first.get_by_role("button", name="Yes, do it").click()
    expect(outcome(second)).to_have_text("Cancelled.")
    assert said(shop) == ["yes"]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("expired", "Not confirmed in time. Nothing was done."),
        ("void", "This no longer applies. Nothing was done."),
        ("failed", "It did not work."),
        ("unknown", "We do not know whether it was done. Please check before you try again."),
        ("done", "Done."),
    ],
)
def test_each_end_is_told_in_the_widgets_words(page: Page, shop: Site, state: str, words: str) -> None:
    shop.api.becomes = {"state": state, "text": ""}
    asked(page, shop)
    page.get_by_role("button", name="Yes, do it").click()
    expect(outcome(page)).to_have_text(words)


def test_a_word_that_was_not_heard_can_be_said_again(page: Page, shop: Site) -> None:
    shop.api.refuse_answers = Refuse(503, "unavailable")
    asked(page, shop)
    page.get_by_role("button", name="Yes, do it").click()
    again = card(page).get_by_role("button", name="Try again")
    expect(again).to_be_focused()
    shop.api.refuse_answers = None
    again.click()
    expect(outcome(page)).to_have_text("Cancelled.")


def test_a_call_that_takes_long_is_looked_after(page: Page, shop: Site) -> None:
    shop.api.becomes = {"state": "confirmed"}
    asked(page, shop)
    page.get_by_role("button", name="Yes, do it").click()
    expect(outcome(page)).to_have_text("Being done")
    shop.api.confirmation |= {"state": "done", "text": "Order A-17 is cancelled."}
    expect(outcome(page)).to_have_text("Order A-17 is cancelled.")


@pytest.mark.parametrize(
    ("width", "height", "theme", "lang", "forced"),
    [
        pytest.param(1100, 800, "light", "en", "none", id="light"),
        pytest.param(1100, 800, "dark", "en", "none", id="dark"),
        pytest.param(1100, 800, "light", "ar", "none", id="right to left"),
        pytest.param(320, 600, "dark", "de", "none", id="a small phone"),
        pytest.param(1100, 800, "light", "en", "active", id="forced colours"),
    ],
)
def test_axe_finds_nothing_to_mend(
    browser: Browser, shop: Site, width: int, height: int, theme: str, lang: str, forced: Any
) -> None:
    shop.write(lang=lang, attributes=f'data-theme="{theme}" data-color="#ffd400"')
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", forced_colors=forced)
    try:
        page.goto(shop.origin)
        page.locator("docent-widget .launcher").click()
        box = page.locator("docent-widget textarea")
        box.fill(QUESTION)
        box.press("Enter")
        asks = page.locator("docent-widget .confirm")
        expect(asks).to_be_visible()
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS) == []
        asks.locator(".yes").click()
        expect(asks.locator(".outcome")).to_have_text("Cancelled.")
        assert page.evaluate(VIOLATIONS) == []
    finally:
        page.close()
