"""An answer grows below its question, which stays in view, down to its end for whoever goes there."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.doubles.scripted_widget_api import Hold, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
LONG = "word\n\n" * 60
BELOW = "e => e.scrollHeight - e.scrollTop - e.clientHeight"


def top_of_question(chat: Chat) -> float:
    """In pixels below the top of the log."""
    question, log = chat.questions.last.bounding_box(), chat.log.bounding_box()
    assert question is not None
    assert log is not None
    return question["y"] - log["y"]


def test_the_question_stays_at_the_top_while_its_answer_grows(page: Page, site: Site) -> None:
    site.api.script |= {
        "First?": [*tokens(LONG, 300), done()],
        QUESTION: [*tokens("Yes. ", 9), Hold(), *tokens(LONG, 300), done()],
    }
    chat = Chat.opened(page, site)
    chat.ask("First?")
    chat.finish()
    assert 0 <= top_of_question(chat) < 20
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("Yes.")
    assert 0 <= top_of_question(chat) < 20
    site.api.release()
    expect(chat.answer.locator("p")).to_have_count(60)
    expect(chat.questions).to_have_count(2)
    assert 0 <= top_of_question(chat) < 20


def test_a_question_that_comes_before_the_greeting_stays_at_the_top_too(page: Page, site: Site) -> None:
    held: list[Route] = []
    page.route("**/v1/widget/init", lambda route: held.append(route))
    site.api.script[QUESTION] = [*tokens(LONG, 300), done()]
    chat = Chat.visit(page, site)
    with page.expect_request("**/v1/widget/init"):
        chat.launcher.click()
    chat.ask(QUESTION)
    expect(page.locator("docent-widget .greeting")).to_have_count(0)
    held.pop().continue_()
    chat.finish()
    expect(page.locator("docent-widget .greeting")).to_have_count(1)
    assert 0 <= top_of_question(chat) < 20


def test_a_long_question_leaves_room_for_its_answer(page: Page, site: Site) -> None:
    question = "I have bought two lamps, and one of them is too large. " * 30
    site.api.script[question.strip()] = [*tokens("Send it back.", 9), done()]
    chat = Chat.opened(page, site)
    chat.ask(question)
    chat.finish()
    expect(chat.answer).to_be_in_viewport()
    asked, log = chat.questions.last.bounding_box(), chat.log.bounding_box()
    assert asked
    assert log
    assert asked["height"] <= log["height"] * 0.4 + 1
    chat.questions.last.focus()
    page.keyboard.press("End")
    chat.questions.last.evaluate("e => new Promise((end) => (e.scrollTop ? end() : e.addEventListener('scroll', end)))")


CURSORS = """e => [...e.querySelectorAll('*')]
  .filter((each) => getComputedStyle(each, '::after').animationName !== 'none')
  .map((each) => each.localName)"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Yes", "p"),
        ("Yes.\n\n- box", "li"),
        ("Yes.\n\n> box", "p"),
        ("| A | B |\n|---|---|\n| box | 2", "td"),
        ("```\nbox", "code"),
        ("### Box", "h3"),
    ],
)
def test_a_cursor_stands_where_the_next_word_will(page: Page, site: Site, text: str, place: str) -> None:
    site.api.script[QUESTION] = [*tokens(text, 300), Hold(), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("Yes" if place == "p" and text == "Yes" else re.compile("box", re.I))
    assert chat.answer.evaluate(CURSORS) == [place]
    site.api.release()
    chat.finish()
    assert chat.answer.evaluate(CURSORS) == []


def test_a_button_leads_to_the_end_where_there_is_more(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Yes.", 9), Hold(), *tokens(LONG, 300), done()]
    chat = Chat.opened(page, site)
    jump = page.get_by_role("button", name="Jump to the end")
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("Yes.")
    expect(jump).to_be_hidden()
    site.api.release()
    chat.finish()
    jump.click()
    expect(jump).to_be_hidden()
    assert chat.log.evaluate(BELOW) < 2
    expect(page.get_by_role("button", name="Not helpful")).to_be_in_viewport()
    chat.log.evaluate("e => { e.scrollTop -= 20; }")
    expect(jump, "half a row of buttons is cut off").to_be_visible()


def test_whoever_has_gone_to_the_end_goes_with_it(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens(LONG, 300), Hold(), *tokens(LONG, 300), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_have_count(60)
    page.get_by_role("button", name="Jump to the end").click()
    site.api.release()
    chat.finish()
    expect(chat.answer.locator("p")).to_have_count(120)
    assert chat.log.evaluate(BELOW) < 2


def test_an_answer_that_was_cut_says_so_and_goes_on(page: Page, site: Site) -> None:
    site.api.script |= {
        QUESTION: [*tokens("Thirty days, and"), done(finish="length")],
        f"Go on: {QUESTION}": [*tokens("sixty abroad, unless"), done(finish="length")],
    }
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    for count in (2, 3):
        expect(chat.answers.last).to_contain_text("The answer was cut off here.")
        page.get_by_role("button", name="Go on").last.click()
        expect(chat.questions).to_have_count(count)
        chat.finish()
    assert [call.body["message"] for call in site.api.calls_to("/messages/stream")][1:] == [f"Go on: {QUESTION}"] * 2
