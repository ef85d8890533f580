"""Questions are made from what a website's pages ask, instruct and are called; a file adds real ones."""

import pytest

from app.core.chunk import Chunk
from app.core.errors import InvalidInput
from app.site_report.questions import MOST_GIVEN, MOST_QUESTIONS, given_questions, made_questions
from app.site_report.site_report import Origin
from tests.every_row import every_row
from tests.site_report.pages import HOST, demo_pages, page


def asked(*pages: list[Chunk], posts: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(each.text, each.origin.value) for each in made_questions(pages, posts)]


def test_a_question_of_a_page_is_taken_unchanged_with_its_page_and_language() -> None:
    [question] = made_questions([page("/faq", "## Do you ship to Malta?\n\nYes.", title="FAQ")])
    assert (question.text, question.origin) == ("Do you ship to Malta?", Origin.QUESTION)
    assert (question.pages, question.language) == ((f"{HOST}/faq",), "en")


@every_row(
    ("heading", "question"),
    [
        ("Change your bank card", "How do I change my bank card?"),
        ("Set up your station in 20 minutes", "How do I set up my station in 20 minutes?"),
        ("Sign in with your passkey", "How do I sign in with my passkey?"),
        ("How to reset your password", "How do I reset my password?"),
    ],
)
def test_an_instruction_becomes_a_question(heading: str, question: str) -> None:
    [(made, origin)] = asked(page("/a", f"# {heading}\n\nLike this.", title=heading))
    assert (made, origin in ("question", "instruction")) == (question, True)


@every_row(
    "heading",
    [
        "Repair after the warranty",
        "Report of the auditors",
        "Clean it and test it",
        "Contact us about bulk orders",
        "Orders ship within two days",
    ],
)
def test_a_heading_that_only_looks_like_one_does_not(heading: str) -> None:
    assert "instruction" not in {origin for _, origin in asked(page("/a", f"# {heading}\n\nText."))}


def test_the_first_heading_of_a_page_is_asked_as_people_type_and_the_others_are_not() -> None:
    about = page("/a", "# Shipping and delivery\n\nWe ship.\n\n## Common causes of delays\n\nStorms.")
    assert asked(about) == [("Shipping and delivery", "topic")]


@every_row(
    "heading",
    [
        "Overview",
        "Weather that comes to you",
        "Welcome to Acme Weather",
        "1.4.0",
        "/docs/overview/",
        "Are you ready to order a station?",
    ],
)
def test_a_headline_or_an_empty_word_is_no_question(heading: str) -> None:
    assert asked(page("/a", f"# {heading}\n\nText.")) == []


def test_headlines_of_news_are_not_asked_but_their_questions_are() -> None:
    news = page("/news", "# Shade beats latitude\n\nText.\n\n## Do batteries like frost?\n\nNo.")
    assert asked(news, posts=(f"{HOST}/news",)) == [("Do batteries like frost?", "question")]


def test_a_question_that_many_pages_have_is_part_of_the_frame() -> None:
    pages = [page(f"/{n}", "# Payment methods\n\n## Do you have a question?\n\nAsk.") for n in range(3)]
    assert asked(*pages) == []


def test_a_question_that_two_pages_have_may_be_answered_by_either() -> None:
    [question] = made_questions([page(f"/{n}", "# Payment methods\n\nCards.") for n in range(2)])
    assert question.pages == (f"{HOST}/0", f"{HOST}/1")


def test_every_page_is_asked_something_before_one_is_asked_more() -> None:
    faq = page("/faq", "\n\n".join(f"## Can I pay with card number {n}?\n\nYes." for n in range(9)), title="FAQ")
    others = [page(f"/{n}", f"# Payment by method {n}\n\nText.") for n in range(MOST_QUESTIONS - 1)]
    questions = made_questions([faq, *others])
    assert len(questions) == MOST_QUESTIONS
    assert sum(question.pages == (f"{HOST}/faq",) for question in questions) == 1


def test_most_pages_of_the_demonstration_site_are_asked() -> None:
    pages = demo_pages()
    assert len({url for each in made_questions(pages) for url in each.pages}) >= 0.6 * len(pages)


@every_row(
    "text",
    [
        "question,count\nwhere is my parcel,4\nwhere is my Parcel?,2\ncan i pay later,1\n",
        "\ufeffcount;Question\n4;where is my parcel\n1;can i pay later\n",
        "where is my parcel\n\ncan i pay later\n",
        'question\n"where is\nmy parcel"\n"can i\r\npay\u2028later"\n',
    ],
    ids=["a named column", "as Excel writes it", "one a line", "over several lines"],
)
def test_real_questions_are_read_once_each_from_a_file(text: str) -> None:
    assert [each.text for each in given_questions(text)] == ["where is my parcel", "can i pay later"]


@every_row(
    "text",
    [
        "",
        "\n\n",
        "\n".join(f"question number {n}" for n in range(MOST_GIVEN + 1)),
        'question\n"not closed' + "x" * 2**17,
    ],
    ids=["empty", "blank", "too many", "not closed"],
)
def test_a_file_without_questions_or_with_too_many_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="--questions"):
        given_questions(text)
