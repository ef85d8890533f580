"""A visitor asks, and the answer arrives whatever the connection does."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.doubles.scripted_widget_api import Cut, Hold, Refuse, Step, citations, done, error, status, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
SOURCE = {"id": 1, "url": "https://shop.example/help#returns", "title": "Returns", "as_of": "2026-03-01"}
ANSWER: list[Step] = [
    status("searching"),
    status("reading"),
    *tokens("You have **30 days** [1]."),
    citations(SOURCE),
    done(),
]


def test_nothing_is_sent_or_stored_before_the_panel_is_opened(page: Page, site: Site) -> None:
    chat = Chat.visit(page, site)
    page.wait_for_timeout(200)
    assert site.api.calls == []
    assert page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert [call.path for call in site.api.calls] == ["/v1/widget/init"]
    assert site.api.calls[0].body == {"agent_id": "a1", "page_url": site.origin + "/", "locale": "en"}


def test_an_answer_streams_in_with_its_sources(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.questions).to_have_count(1)
    expect(chat.answer).to_have_text("You have 30 days. 1")
    expect(chat.answer.locator("strong")).to_have_text("30 days")
    for link in (chat.answer.get_by_role("link"), chat.answers.last.locator(".source")):
        expect(link).to_have_attribute("href", SOURCE["url"])  # type: ignore[arg-type]
        expect(link).to_have_attribute("rel", "noreferrer")
        expect(link).to_have_attribute("target", "_blank")
    page.get_by_role("button", name="Sources").click()
    expect(chat.answers.last.locator(".source")).to_contain_text("shop.example · as of Mar 1, 2026")
    asked = site.api.calls_to("/messages/stream")[0]
    assert asked.headers["authorization"] == "Bearer token-1"
    assert re.fullmatch(r"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", asked.body["turn_id"])


def test_carriage_returns_in_the_stream_change_nothing(page: Page, site: Site) -> None:
    site.api.line_end = "\r\n"
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days. 1")


def test_a_status_line_tells_the_stage_until_the_first_token(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [status("searching"), Hold(), *ANSWER]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last).to_have_text("Searching the site")
    site.api.release()
    chat.finish()
    expect(chat.answers.last).not_to_contain_text("Searching the site")


def test_a_cut_connection_is_resumed_without_a_second_bubble(page: Page, site: Site) -> None:
    rest = tokens(" And a free label [1].")
    site.api.script[QUESTION] = [*tokens("You have 30 days."), Hold(), Cut(), *rest, citations(SOURCE), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have 30 days.")
    site.api.release()
    chat.finish()
    expect(chat.questions).to_have_count(1)
    expect(chat.answer).to_have_text("You have 30 days. And a free label. 1")
    [resumed] = [call for call in site.api.calls if call.method == "GET"]
    assert int(resumed.headers["last-event-id"]) > 1


def test_a_question_asked_offline_goes_out_when_the_visitor_is_back(
    page: Page, context: BrowserContext, site: Site
) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    context.set_offline(True)
    expect(chat.panel).to_contain_text("You are offline")
    chat.ask(QUESTION)
    expect(chat.answers.last).to_contain_text("Reconnecting")
    context.set_offline(False)
    chat.finish()
    expect(chat.panel).not_to_contain_text("You are offline")
    expect(chat.questions).to_have_count(1)
    assert len({call.body["turn_id"] for call in site.api.calls_to("/messages/stream")}) == 1


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        pytest.param(Refuse(429, "rate_limited"), "That was a lot at once", id="too many questions"),
        pytest.param(Refuse(503, "overloaded"), "Many people are asking", id="overloaded"),
        pytest.param(Refuse(409, "turn_in_progress"), "still being answered", id="asked in another tab"),
        pytest.param(Refuse(500, "internal"), "Something went wrong", id="a fault of the server"),
    ],
)
def test_a_refusal_is_told_kindly_and_can_be_retried(page: Page, site: Site, refusal: Refuse, words: str) -> None:
    site.api.retries[QUESTION] = [[refusal], ANSWER]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last).to_contain_text(words)
    chat.retry.click()
    chat.finish()
    expect(chat.questions).to_have_count(1)
    expect(chat.input).to_be_focused()


def test_an_error_after_tokens_keeps_the_text_and_offers_another_try(page: Page, site: Site) -> None:
    broken = [*tokens("You have 30"), error("model_interrupted")]
    site.api.retries[QUESTION] = [broken, ANSWER]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last).to_contain_text("The connection was lost.")
    expect(chat.answer).to_have_text("You have 30")
    chat.retry.click()
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days. 1")
    first, second = site.api.calls_to("/messages/stream")
    assert first.body["turn_id"] != second.body["turn_id"]


def test_a_question_that_is_too_long_offers_no_retry(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [Refuse(413, "too_large")]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last).to_contain_text("Please ask in fewer words.")
    expect(chat.retry).to_have_count(0)


def test_stopping_keeps_what_was_written(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("You have 30 days"), Hold(), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have 30 days")
    chat.stop.click()
    expect(chat.answers.last).to_contain_text("Stopped.")
    expect(chat.answer).to_have_text("You have 30 days")
    turn_id = site.api.calls_to("/messages/stream")[0].body["turn_id"]
    assert [call.path for call in site.api.calls_to("/stop")] == [f"/v1/widget/turns/{turn_id}/stop"]


def test_a_refused_embedding_says_so_and_offers_nothing_to_press(page: Page, site: Site) -> None:
    site.api.refuse_init = Refuse(403, "origin_refused")
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.log).to_contain_text("This chat is not available here.")
    expect(chat.retry).to_have_count(0)


def test_a_server_that_is_away_can_be_tried_again(page: Page, site: Site) -> None:
    site.api.refuse_init = Refuse(503, "overloaded")
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.log).to_contain_text("Many people are asking")
    site.api.refuse_init = None
    chat.retry.click()
    expect(chat.log).to_contain_text("Hello!")


def test_a_token_about_to_end_is_renewed_before_it_is_used(page: Page, site: Site) -> None:
    site.api.token_seconds = 10
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    assert site.api.calls_to("/messages/stream")[0].headers["authorization"] == "Bearer token-2"
    assert site.api.calls_to("/init")[1].body["anon_id"] == "anonymous"


def test_a_conversation_is_resumed_with_its_history(page: Page, site: Site) -> None:
    site.api.messages = [
        {"id": "m1", "role": "visitor", "text": "Old question?", "turn_id": "t1"},
        {"id": "m2", "role": "agent", "text": "Old answer [1].", "turn_id": "t1", "citations": [SOURCE]},
    ]
    chat = Chat.opened(page, site)
    expect(chat.questions).to_contain_text("Old question?")
    expect(chat.answer).to_have_text("Old answer. 1")
    expect(chat.announcer).to_be_empty()
    page.reload()
    expect(chat.questions).to_have_count(1)
    assert site.api.calls_to("/init")[1].body["anon_id"] == "anonymous"


def test_an_answer_still_being_written_is_joined_on_the_next_page(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have")
    turn_id = site.api.calls_to("/messages/stream")[0].body["turn_id"]
    site.api.messages = [{"id": "m1", "role": "visitor", "text": QUESTION, "turn_id": turn_id}]
    page.reload()
    expect(chat.answer).to_have_text("You have")
    site.api.release()
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days.")
    assert len(site.api.calls_to("/messages/stream")) == 1


def test_a_new_conversation_starts_empty(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    page.get_by_role("button", name="New conversation").click()
    expect(chat.questions).to_have_count(0)
    expect(chat.log).to_contain_text("Hello!")
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.questions).to_have_count(1)
    first, second = site.api.calls_to("/init")
    assert ("new_conversation" in first.body, second.body["new_conversation"]) == (False, True)


def test_the_field_for_a_reason_comes_into_view(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("word\n\n" * 30, 300), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    thumb = page.get_by_role("button", name="Not helpful")
    chat.log.evaluate("e => (e.scrollTop = e.scrollHeight)")
    thumb.click()
    expect(page.locator("docent-widget form.comment")).to_be_in_viewport(ratio=0.9)


def test_feedback_reaches_the_server_with_its_reason(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    thumb = page.get_by_role("button", name="Not helpful")
    thumb.click()
    expect(thumb).to_have_attribute("aria-pressed", "true")
    reason = page.get_by_role("textbox", name="What was missing?")
    expect(reason).to_be_focused()
    expect(reason).to_be_in_viewport()
    expect(page.locator("docent-widget header"), "a page may have one banner of its own").to_have_count(0)
    reason.fill("The fees.")
    with page.expect_request_finished(lambda request: "fees" in (request.post_data or "")):
        reason.press("Enter")
    expect(chat.answers.last).to_contain_text("Thank you for telling us.")
    bodies = [call.body for call in site.api.calls_to("/feedback")]
    assert bodies == [{"rating": "down"}, {"rating": "down", "comment": "The fees."}]


def test_an_answer_is_copied_with_its_sources(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"You have **30 days** [1].\n\n[1] Returns {SOURCE['url']}"


def test_low_confidence_is_seen_and_said(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Perhaps 30 days."), done(low_confidence=True)]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answers.last).to_contain_text("I am not sure about this.")
    expect(chat.announcer).to_contain_text("I am not sure")


def test_a_starter_prompt_asks_itself(page: Page, site: Site) -> None:
    site.api.agent = {"name": "Ada", "theme": {"greeting": "Welcome to the shop."}, "starter_prompts": [QUESTION]}
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    expect(chat.log).to_contain_text("Welcome to the shop.")
    page.get_by_role("button", name=QUESTION).click()
    chat.finish()
    expect(chat.questions).to_contain_text(QUESTION)
