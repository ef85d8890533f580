"""The panel goes with a visitor from page to page and from tab to tab, at the same place in the same conversation."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from tests.doubles.scripted_widget_api import Hold, Step, citations, done, tokens
from tests.e2e.chat import ANY_VALUE, Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
ANSWER: list[Step] = [*tokens("You have 30 days."), done()]
LONG = "A line of the answer.\n\n" * 8
PHONE: ViewportSize = {"width": 390, "height": 844}
KEPT = "JSON.stringify([localStorage, sessionStorage].map((each) => ({...each})))"


def said(*numbers: int) -> list[dict[str, Any]]:
    """Turns of a question and an answer of some length each."""
    return [
        {"id": f"{role}{n}", "role": role, "text": text, "turn_id": f"t{n}", "created_at": "2026-03-01T10:00:00Z"}
        for n in numbers
        for role, text in (("visitor", f"Question {n}?"), ("agent", f"Answer {n}.\n\n{LONG}"))
    ]


@pytest.fixture
def another_tab(context: BrowserContext, site: Site) -> Callable[[], Chat]:
    return lambda: Chat.visit(context.new_page(), site)


def test_the_panel_is_open_on_the_next_page_and_takes_no_focus(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    site.api.pages["next"] = site.api.pages[""]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    chat.input.fill("Half a thought")
    site.api.messages = said(1)
    page.goto(site.origin + "/next")
    expect(chat.questions).to_contain_text("Question 1?")
    expect(chat.input).to_have_value("Half a thought")
    assert page.evaluate("document.activeElement === document.body")
    assert chat.panel.evaluate("panel => getComputedStyle(panel).animationName") == "none"
    assert site.api.calls_to("/init")[1].body["conversation_id"] == "conversation"


def test_what_a_visitor_has_closed_stays_closed(page: Page, site: Site) -> None:
    site.write(attributes="data-open=true")
    chat = Chat.visit(page, site)
    expect(chat.panel).to_be_visible()
    expect(chat.log).to_contain_text("Hello!")
    assert "open" not in page.evaluate(KEPT)  # the website has opened it, nobody else
    page.get_by_role("button", name="Close chat").click()
    page.reload()
    expect(chat.launcher).to_be_visible()
    expect(chat.panel).to_have_count(0)
    assert len(site.api.calls_to("/init")) == 1


def test_a_chat_that_fills_the_screen_does_not_cover_the_page_that_a_link_leads_to(page: Page, site: Site) -> None:
    page.set_viewport_size(PHONE)
    chat = Chat.opened(page, site)
    page.reload()
    expect(chat.launcher).to_be_visible()
    expect(chat.panel).to_have_count(0)


def test_the_place_in_the_conversation_is_kept(page: Page, site: Site, another_tab: Callable[[], Chat]) -> None:
    site.api.messages = said(*range(1, 9))
    site.api.at_once = 6
    chat = Chat.opened(page, site)
    expect(chat.questions).to_have_count(3)
    chat.log.evaluate("log => log.scrollTop = 0")
    expect(chat.questions).to_have_count(6)
    page.wait_for_function("document.querySelector('docent-widget').shadowRoot.querySelector('.log').scrollTop > 300")
    fifth = chat.questions.filter(has_text="Question 5?")
    fifth.scroll_into_view_if_needed()
    before = fifth.bounding_box()
    page.reload()
    expect(chat.questions).to_have_count(6)
    expect(fifth).to_be_in_viewport()
    after = fifth.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    elsewhere = another_tab()
    expect(elsewhere.questions.filter(has_text="Question 5?")).to_be_in_viewport()


def test_ways_to_people_that_come_late_do_not_move_what_is_read(page: Page, site: Site) -> None:
    """They are drawn by a script of their own, in turns above the place at which the visitor was."""
    site.api.agent = {**site.api.agent, "fallback": {"form": True, "url": "tel:+353209150123", "label": "Call us"}}
    site.api.messages = [
        {**message, "low_confidence": True} if message["role"] == "agent" else message for message in said(*range(1, 9))
    ]
    chat = Chat.opened(page, site)
    ways = chat.answers.get_by_text("Call us")
    expect(ways).to_have_count(8)
    seventh = chat.questions.filter(has_text="Question 7?")
    seventh.evaluate("each => each.scrollIntoView()")
    before = seventh.bounding_box()
    page.reload()
    expect(ways).to_have_count(8)
    after = seventh.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 5, "but for the rounding of eight scrolls"


def test_older_turns_come_when_scrolling_up_and_what_is_read_stays_in_its_place(page: Page, site: Site) -> None:
    site.api.messages = said(*range(1, 7))
    site.api.at_once = 4
    chat = Chat.opened(page, site)
    expect(chat.questions).to_have_count(2)
    earlier = page.get_by_role("button", name="Earlier messages")
    fifth = chat.questions.filter(has_text="Question 5?")
    chat.log.evaluate("log => log.scrollTop = 60")
    before = fifth.bounding_box()
    expect(chat.questions).to_have_count(4)
    after = fifth.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    earlier.press("Enter")
    expect(chat.questions).to_have_count(6)
    expect(chat.questions.first).to_contain_text("Question 1?")
    expect(earlier).to_have_count(0)
    asked = [call for call in site.api.calls if call.path.endswith("/conversation/messages")]
    assert len(asked) == 2


def test_a_new_tab_has_the_panel_open_in_the_same_conversation(
    page: Page, site: Site, another_tab: Callable[[], Chat]
) -> None:
    site.api.messages = said(1)
    Chat.opened(page, site)
    second = another_tab()
    expect(second.questions).to_contain_text("Question 1?")
    assert site.api.calls_to("/init")[1].body["conversation_id"] == "conversation"


def test_a_new_tab_stays_closed_where_no_other_tab_is_left(
    page: Page, context: BrowserContext, site: Site, another_tab: Callable[[], Chat]
) -> None:
    Chat.opened(page, site)
    page.goto("about:blank")
    second = another_tab()
    # It has asked whether there is one, and forgot the panel that nobody has open.
    second.page.wait_for_function("!JSON.parse(localStorage['docent:a1']).open")
    expect(second.launcher).to_be_visible()
    expect(second.panel).to_have_count(0)


def test_a_question_of_one_tab_is_seen_in_the_other(page: Page, site: Site, another_tab: Callable[[], Chat]) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    first = Chat.opened(page, site)
    second = another_tab()
    expect(second.log).to_contain_text("Hello!")
    first.ask(QUESTION)
    expect(second.questions).to_contain_text(QUESTION)
    expect(second.answer).to_have_text("You have")
    site.api.release()
    for chat in (first, second):
        chat.finish()
        expect(chat.answer).to_have_text("You have 30 days.")
    assert len(site.api.calls_to("/messages/stream")) == 1
    second.page.get_by_role("button", name="Helpful", exact=True).click()
    expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "true")


def test_tabs_of_different_conversations_leave_each_other_alone(
    page: Page, site: Site, another_tab: Callable[[], Chat]
) -> None:
    site.api.script[QUESTION] = ANSWER
    first = Chat.opened(page, site)
    second = another_tab()
    expect(second.log).to_contain_text("Hello!")
    first.ask(QUESTION)
    first.finish()
    expect(second.questions).to_have_count(1)
    second.page.get_by_role("button", name="New conversation").click()
    second.ask(QUESTION)
    second.finish()
    expect(second.questions).to_have_count(1)
    expect(first.questions).to_have_count(1)


def test_an_answer_that_ends_while_closed_marks_the_launcher(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have")
    page.keyboard.press("Escape")
    site.api.release()
    expect(chat.launcher).to_have_attribute("data-unread", "1")
    expect(chat.launcher).to_have_accessible_name("Chat (1)")
    chat.launcher.click()
    expect(chat.answer).to_have_text("You have 30 days.")
    expect(chat.launcher).not_to_have_attribute("data-unread", ANY_VALUE)
    page.keyboard.press("Escape")
    expect(chat.launcher).to_have_accessible_name("Chat")


@pytest.mark.parametrize("screen", [None, PHONE], ids=["closed by hand", "closed by a page change on a phone"])
def test_an_answer_that_ends_on_a_later_page_marks_the_launcher_there(
    page: Page, site: Site, screen: ViewportSize | None
) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have")
    turn_id = site.api.calls_to("/messages/stream")[0].body["turn_id"]
    site.api.messages = [{"id": "m1", "role": "visitor", "text": QUESTION, "turn_id": turn_id}]
    if screen:
        page.set_viewport_size(screen)
    else:
        page.keyboard.press("Escape")
    page.reload()
    site.api.release()
    expect(chat.launcher).to_have_attribute("data-unread", "1")
    expect(chat.panel).to_have_count(0)


def test_one_of_several_conversations_is_chosen_from_their_list(page: Page, site: Site) -> None:
    site.api.said = {"conversation": said(1), "older": said(2)}
    site.api.messages = said(1)
    site.api.conversations = [
        {"id": "conversation", "first_question": "Question 1?", "last_active_at": "2026-03-02T10:00:00Z"},
        {"id": "older", "first_question": "Question 2?", "last_active_at": "2026-03-01T10:00:00Z"},
    ]
    chat = Chat.opened(page, site)
    expect(chat.questions).to_contain_text("Question 1?")
    listing = page.get_by_role("button", name="Your conversations")
    expect(listing).to_have_count(0)  # a first visit has no others
    page.reload()
    listing.click()
    expect(listing).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("button", name="Question 1?")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("button", name="Question 1?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chat.panel).to_be_visible()
    expect(chat.questions).to_be_visible()
    listing.click()
    page.get_by_role("button", name="Question 2?").click()
    expect(chat.questions).to_contain_text("Question 2?")
    expect(chat.questions).to_have_count(1)
    page.reload()
    expect(chat.questions).to_contain_text("Question 2?")
    assert site.api.calls_to("/init")[-1].body["conversation_id"] == "older"


def test_a_conversation_that_is_gone_gives_way_to_the_latest(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    site.api.lost = {"conversation"}
    site.api.messages = said(3)
    page.reload()
    expect(chat.questions).to_contain_text("Question 3?")
    assert [call.body.get("conversation_id") for call in site.api.calls_to("/init")] == [None, "conversation", None]


def test_nothing_of_it_outlives_a_reset(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    chat.input.fill("A secret")
    page.evaluate("Docent.reset()")
    page.reload()
    expect(chat.launcher).to_be_visible()
    expect(chat.panel).to_have_count(0)
    assert page.evaluate("sessionStorage.length") == 0


def test_a_signed_in_visitor_finds_the_panel_once_the_page_has_said_who_it_is(page: Page, site: Site) -> None:
    site.write(head="<script>(window.Docent = []).push(['identify', {userId: 'ann', hash: 'h'}])</script>")
    chat = Chat.opened(page, site)
    page.reload()
    expect(chat.log).to_contain_text("Hello!")
    site.write()
    page.reload()
    expect(chat.launcher).to_be_visible()
    expect(chat.panel).to_have_count(0)
    page.evaluate("void Docent.identify({userId: 'ann', hash: 'h'})")
    expect(chat.log).to_contain_text("Hello!")
    assert {call.body.get("user_id") for call in site.api.calls_to("/init")} == {"ann"}


def test_a_link_to_the_websites_own_page_may_open_in_the_same_tab(page: Page, site: Site) -> None:
    site.write(attributes='data-links="same"', head="<style>docent-widget { --docent-width: 560px }</style>")
    own, other = f"{site.origin}/?shoes", "https://shop.example/help"
    found = citations({"id": 1, "url": own, "title": "Shoes"}, {"id": 2, "url": other, "title": "Help"})
    site.api.script[QUESTION] = [*tokens("These fit [1][2]."), found, done()]
    chat = Chat.opened(page, site)
    box = chat.panel.bounding_box()
    assert box is not None
    assert box["width"] == 560
    chat.ask(QUESTION)
    chat.finish()
    page.context.route("https://shop.example/**", lambda route: route.fulfill(body="Help"))
    with page.expect_popup():
        chat.answer.get_by_role("link", name="2: Help").click()
    chat.answer.get_by_role("link", name="1: Shoes").click()
    page.wait_for_url(own)
    expect(chat.panel).to_be_visible()
