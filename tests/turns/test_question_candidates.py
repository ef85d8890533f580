"""Questions of headings that may be asked next, and headings that are none."""

from collections.abc import Iterable, Sequence
from datetime import date
from uuid import UUID, uuid4

import pytest

from app.core.chunk import Chunk
from app.turns.next_questions import KnownWords, NextQuestion, offered, section_questions
from tests.every_row import every_row

PAGE, OTHER = UUID(int=1), UUID(int=2)


CHANGE, INVOICE = "How do I change my plan?", "How do I pay by invoice?"
ENDED = "What happens to plans that have ended"
TEXT = "What this section says, at some length, as a section does that somebody may want to read."


def chunk(position: int, text: str, *breadcrumb: str, page: UUID = PAGE) -> Chunk:
    return Chunk(
        id=f"{page.int}-{position}",
        agent_id=uuid4(),
        document_id=page,
        position=position,
        text=text,
        context="",
        url=f"https://shop.example/{page.int}",
        title="Our shop",
        anchor=None,
        breadcrumb=breadcrumb,
        as_of=date(2026, 1, 1),
        language="en",
    )


# A chunk may hold several sections, and a section may go over several chunks.
PLANS = [
    chunk(
        0,
        f"# Our shop\n\n{TEXT}\n\n## Change your plan\n\nChange it. {TEXT}\n\n## Cancel your plan\n\nCancel it. {TEXT}",
        "Plans",
    ),
    chunk(1, f"### What happens to plans that have ended\n\n{TEXT}", "Plans", "Cancel your plan", ENDED),
    chunk(2, TEXT, "Plans", "Cancel your plan", ENDED),
    chunk(
        3,
        f"## Pay by invoice\n\n{TEXT}\n\n## Further links\n\nSee there.\n\n## Command-line options\n\n{TEXT}",
        "Plans",
        "Pay by invoice",
    ),
]


def nothing(text: str) -> bool:
    return False


def texts(found: Sequence[NextQuestion]) -> list[str]:
    return [one.text for one in found]


def test_the_sections_around_the_quoted_words_come_nearest_first() -> None:
    found = section_questions([PLANS], {"1-0": "Cancel it."}, nothing, 6)
    assert texts(found) == [CHANGE, ENDED, INVOICE]
    assert found[1] == NextQuestion(ENDED, frozenset({PAGE}), frozenset({"1-1", "1-2"}))


def test_without_quoted_words_all_that_begins_in_the_chunk_is_no_news() -> None:
    assert texts(section_questions([PLANS], {"1-0": None}, nothing, 6)) == [ENDED, INVOICE]


def test_several_pages_take_turns() -> None:
    delivery = f"# Delivery\n\n## Find your island\n\n{TEXT}\n\n## What does delivery cost?\n\nNothing. {TEXT}"
    other = [chunk(0, delivery, "Delivery", page=OTHER)]
    cited = {"1-0": "Cancel it.", "2-0": "Nothing."}
    found = section_questions([PLANS, other], cited, nothing, 3)
    assert texts(found) == [CHANGE, "How do I find my island?", ENDED]


def test_what_was_asked_is_left_out_before_it_is_counted() -> None:
    found = section_questions([PLANS], {"1-0": "Cancel it."}, lambda text: text == CHANGE, 1)
    assert texts(found) == [ENDED]


def test_a_page_of_which_nothing_was_cited_has_nothing_to_offer() -> None:
    assert section_questions([PLANS], {"9-9": None}, nothing, 3) == []


@every_row(
    ("heading", "text"),
    [
        ("Cancel your plan", "Cancel your plan"),
        ("2.3. Cancel *your* `plan`", "Cancel your plan"),
        ("What does it cost to cancel?", "What does it cost to cancel?"),
        ("プランを解約する", "プランを解約する"),
        ("Overview", None),
        ("Thank you", None),
        ("What happens then", None),
        ("And if I do not?", None),
        ("1.4.0 (2026-05-01)", None),
        ("", None),
        ("See https://shop.example", None),
        ("word " * 40, None),
    ],
)
def test_a_heading_is_offered_in_its_own_words_or_not_at_all(heading: str, text: str | None) -> None:
    assert offered(heading) == text


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Cancel your plan", True),
        ("cancel YOUR plan?", True),
        ("Change your plan", False),
    ],
)
def test_what_was_asked_is_known_by_its_words(text: str, is_asked: bool) -> None:
    known = KnownWords(["How do I cancel your plan?", "Hello"], "en")
    assert known.holds(text) is is_asked


@every_row(
    ("chunk_ids", "answer", "is_answered"),
    [
        pytest.param({"1-2"}, PLANS[2], True, id="its section"),
        pytest.param({"1-2"}, PLANS[3], False, id="another section of the page"),
        pytest.param((), PLANS[3], True, id="anywhere on the page"),
        pytest.param((), chunk(3, TEXT, page=OTHER), False, id="another page"),
    ],
)
def test_a_question_is_answered_by_what_it_promises(chunk_ids: Iterable[str], answer: Chunk, is_answered: bool) -> None:
    asked = NextQuestion(ENDED, frozenset({PAGE}), frozenset(chunk_ids))
    assert asked.is_answered_by(answer) is is_answered


@every_row(
    ("found", "is_furniture"),
    [
        pytest.param(chunk(0, f"## Pay by *Invoice*\n\n{TEXT}", page=OTHER), True, id="on another page"),
        pytest.param(chunk(0, TEXT, "Shop", "Pay by invoice", page=OTHER), True, id="above a chunk of another page"),
        pytest.param(chunk(0, TEXT, "Pay by invoice", "Late payment", page=OTHER), False, id="another section"),
        pytest.param(PLANS[3], False, id="on its own page"),
    ],
)
def test_a_heading_of_several_pages_is_furniture(found: Chunk, is_furniture: bool) -> None:
    question = NextQuestion(INVOICE, frozenset({PAGE}), frozenset({"1-3"}))
    assert question.is_furniture([found]) is is_furniture
