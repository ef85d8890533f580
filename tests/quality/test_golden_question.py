"""What an answer must hold, compared as a reader would."""

from uuid import uuid4

import pytest

from app.quality.golden_question import GoldenQuestion
from tests.every_row import every_row


def golden(*texts: str, pages: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> GoldenQuestion:
    return GoldenQuestion(uuid4(), uuid4(), "Why?", pages, answer_contains=texts, answer_matches=patterns)


@every_row(
    ("answer", "missing"),
    [
        pytest.param("Plus costs €3.90 a month. [1]", (), id="as it stands"),
        pytest.param("PLUS costs\u00a0€3.90\na  month.", (), id="case and blanks do not count"),
        pytest.param("Plus costs **€3.90** [1] a `month`", (), id="neither do marks of citations, emphasis and code"),
        pytest.param("Plus costs €39.0 a month", ("costs €3.90",), id="digits do"),
        pytest.param("", ("costs €3.90", "a month"), id="nothing"),
    ],
)
def test_every_text_must_be_in_the_answer(answer: str, missing: tuple[str, ...]) -> None:
    assert golden("costs €3.90", "a month").missing_texts(answer) == missing


def test_a_question_is_to_be_declined_where_nothing_is_said_of_its_answer() -> None:
    assert not golden().is_answerable
    assert golden(pages=("https://www.example.com/prices",)).is_answerable
    assert golden("€3.90").is_answerable
    assert golden(patterns=("€3[.,]90",)).is_answerable
