"""Questions to begin with are found in what pages say, and never made up."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from app.core.chunk import Chunk
from app.knowledge.starter_suggestions import StarterSuggestion, starter_suggestions
from tests.every_row import every_row


def chunk(
    page: int, *headings: str, text: str = "", title: str = "Help", language: str | None = "en", position: int = 0
) -> Chunk:
    return Chunk(
        id=f"{page}/{position}", agent_id=UUID(int=1), document_id=UUID(int=page), position=position, text=text,
        context="", url=f"https://x.example/{page}", title=title, anchor=None, breadcrumb=headings,
        as_of=date(2026, 1, 1), language=language, dated=None,
    )  # fmt: skip


def asked(chunks: Sequence[Chunk], language: str | None = None, most: int = 9, **more: Sequence[str]) -> list[str]:
    return [found.question for found in starter_suggestions(chunks, language, most, **more)]


def test_a_heading_that_is_a_question_is_suggested_with_its_page() -> None:
    page = chunk(1, "Help", "Do you ship to Malta?", title="Shipping")
    assert starter_suggestions([page], None, 9) == [
        StarterSuggestion("Do you ship to Malta?", "https://x.example/1", "Shipping")
    ]


@every_row(
    "heading",
    [
        "Shipping to Malta",
        "Really?",
        "Need more help?",
        "Ready to get started today?",
        "How can we help you?",
        "What next? Read on. Shall we?",
        "Is [this link](https://x.example) a question?",
        f"Is {'very ' * 20} long?",
    ],
)
def test_what_no_visitor_would_ask_is_left_alone(heading: str) -> None:
    assert asked([chunk(1, heading)]) == []


@every_row(
    ("text", "questions"),
    [
        ("**Can I pay by card?**\n\nYes, with all of them.", ["Can I pay by card?"]),
        ("- Q: Can I pay by card?\n- A: Yes.", ["Can I pay by card?"]),
        ("3. Can I pay by card?\nYes.", ["Can I pay by card?"]),
        ("Can I pay by card?\nCan I pay by invoice?\nYes.", ["Can I pay by invoice?"]),
        ("Can I pay by card?", []),
        ("You ask: can I pay by card?\nYes.", []),
    ],
    ids=[
        "bold",
        "a list with letters",
        "numbered",
        "a list of questions",
        "without an answer",
        "no question word first",
    ],
)
def test_a_line_of_a_faq_is_a_question_where_an_answer_stands_below(text: str, questions: list[str]) -> None:
    assert asked([chunk(1, text=text)]) == questions


@every_row(
    ("language", "title", "questions"),
    [
        ("en", "How to reset your password | Acme", ["How do I reset my password?"]),
        ("en", "How To Install the widget", ["How do I install the widget?"]),
        ("en", "How to tell us what you think", []),
        ("en", "What is a generation? - Acme", ["What is a generation?"]),
        ("en", "Resetting passwords", []),
        ("fr", "Comment installer le widget", ["Comment installer le widget ?"]),
        ("fr", "Comment changer votre mot de passe", []),
        ("fr", "Comment notre service aide", []),
        ("fr", "Comment \u00e7a marche", []),
        ("es", "C\u00f3mo cambiar la contrase\u00f1a", ["\u00bfC\u00f3mo cambiar la contrase\u00f1a?"]),
        ("it", "Come installare il widget", ["Come installare il widget?"]),
        ("pt", "Como instalar o widget", ["Como instalar o widget?"]),
        ("de", "Wie Sie Ihr Passwort \u00e4ndern", []),
    ],
)
def test_a_title_becomes_a_question_where_its_language_has_a_rule(
    language: str, title: str, questions: list[str]
) -> None:
    assert asked([chunk(1, title=title, language=language)]) == questions


def test_questions_come_from_many_pages_two_of_each_at_most() -> None:
    chunks = [
        chunk(1, "What is the first one?"),
        chunk(1, "What is the second one?", position=1),
        chunk(1, "What is the third one?", position=2),
        chunk(2, "What is on page two?"),
    ]
    assert asked(chunks) == ["What is the first one?", "What is on page two?", "What is the second one?"]
    assert asked(chunks, most=1) == ["What is the first one?"]


def test_a_question_is_suggested_once_and_not_where_it_is_known_or_stands_everywhere() -> None:
    everywhere = [chunk(page, "Where do I sign in?") for page in range(3)]
    twice = [chunk(page, "Can I pay by card?") for page in (3, 4)]
    assert asked(everywhere + twice) == ["Can I pay by card?"]
    assert asked(twice, known=["can I pay by card"]) == []


def test_pages_in_other_languages_are_left_out() -> None:
    german = chunk(1, "Wann haben Sie ge\u00f6ffnet?", language="de")
    english = [chunk(page, f"What is on page {page}?") for page in (2, 3)]
    unknown = chunk(4, "What is on page 4?", language=None)
    assert asked([german, *english, unknown]) == [f"What is on page {page}?" for page in (2, 3, 4)]
    assert asked([german, *english], language="de") == ["Wann haben Sie ge\u00f6ffnet?"]
    assert asked([]) == []
