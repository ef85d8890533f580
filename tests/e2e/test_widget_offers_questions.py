"""What a visitor may ask next stands below the latest answer, and is asked when pressed."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.scripted_widget_api import Step, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.real_docent import WARRANTY, RealDocent

AXE = Path(__file__).parents[2] / "widget" / "node_modules" / "axe-core" / "axe.min.js"
QUESTION = "How long do returns take?"
FURTHER = ("What does a return cost?", "Return from abroad")
ANSWER: list[Step] = [*tokens("You have 30 days."), done(next_questions=FURTHER)]
LAST: list[Step] = [*tokens("Nothing."), done(next_questions=FURTHER[1:])]


@pytest.fixture
def asked(page: Page, site: Site) -> Chat:
    """A question was answered."""
    site.api.script |= {QUESTION: ANSWER, FURTHER[0]: LAST}
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    return chat


def test_further_questions_stand_below_the_latest_answer_only(asked: Chat, page: Page) -> None:
    group = page.get_by_role("group", name="You can also ask")
    expect(group.get_by_role("button")).to_have_text(list(FURTHER))
    group.get_by_role("button", name=FURTHER[0]).click()
    expect(asked.questions).to_have_text([f"You asked: {QUESTION}", f"You asked: {FURTHER[0]}"])
    asked.finish()
    expect(group).to_have_count(1)
    expect(group.get_by_role("button")).to_have_text([FURTHER[1]])
    expect(asked.input).to_be_focused()


def test_further_questions_are_asked_by_the_keyboard_and_are_no_part_of_what_is_spoken(asked: Chat, page: Page) -> None:
    expect(asked.announcer).to_have_text("You have 30 days.")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name=FURTHER[1])).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    asked.finish()
    expect(asked.questions).to_have_count(2)
    expect(asked.input).to_be_focused()


def test_axe_finds_nothing_to_mend_about_them(asked: Chat, page: Page) -> None:
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        "axe.run({ include: [['docent-widget']] }).then(({ violations }) => violations.map((one) => one.id))"
    )
    assert found == []


def test_further_questions_come_back_with_the_conversation(page: Page, site: Site) -> None:
    site.api.messages = [
        {"id": "m1", "role": "visitor", "text": QUESTION, "turn_id": "t1"},
        {"id": "m2", "role": "agent", "text": "30 days.", "turn_id": "t1", "next_questions": list(FURTHER)},
    ]
    chat = Chat.opened(page, site)
    expect(chat.questions).to_have_count(1)
    expect(page.get_by_role("group", name="You can also ask").get_by_role("button")).to_have_text(list(FURTHER))


def test_a_real_answer_offers_what_the_site_answers(page: Page, docent: RealDocent) -> None:
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    chat.finish()
    offered = page.get_by_role("group", name="You can also ask").get_by_role("button")
    expect(offered.first).to_be_visible()
    wording = offered.first.inner_text()
    offered.first.click()
    chat.finish()
    expect(chat.questions).to_have_count(2)
    expect(chat.questions.last).to_contain_text(wording)
    expect(chat.answers.last).not_to_have_class("unsure")
    page.reload()
    expect(chat.questions).to_have_count(2)
