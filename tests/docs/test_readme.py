"""The README is short, and its figures are those of the evaluation."""

import re

import pytest

from tests.docs.fenced_blocks import ROOT

README = (ROOT / "README.md").read_text("utf-8")
EVALUATION = (ROOT / "docs" / "evaluation.md").read_text("utf-8")


def section(text: str, heading: str) -> str:
    [found] = re.findall(rf"^#+ {re.escape(heading)}[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return str(found)


def row(first_cell: str) -> list[str]:
    """The figures of a row of the README's table, by the beginning of its first cell."""
    [line] = [line for line in README.splitlines() if line.startswith(f"| {first_cell}")]
    return re.findall(r"\.?\d[\d,.]*", line.split("|")[2])


def cells(text: str, first_cell: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.startswith(f"| {first_cell} |")]
    return [re.sub(r"\*", "", cell).strip() for cell in line.split("|")[2:-1]]


@pytest.mark.parametrize(("answerable", "others", "column"), [(100, "32 similar", 0), (128, "32 questions", 1)])
def test_it_says_how_many_answers_over_real_sites_were_right(answerable: int, others: str, column: int) -> None:
    measured = section(EVALUATION, "Are the answers right?")
    right, cited, withheld, rest = (
        cells(measured, name)[column]
        for name in (
            "right",
            "a right page is cited",
            "wrongly refused, or closest sections only",
            "unanswerable (32): refused, or closest sections only",
        )
    )
    assert f"{answerable} of them answerable" in measured
    wrong = str(answerable - int(right) - int(withheld))
    assert row(f"{answerable} questions") == [right, wrong, withheld, cited]
    assert row(others) == [rest]


def test_it_says_how_many_questions_in_other_languages_find_their_paragraph() -> None:
    [found] = re.findall(r"^\| xquad .*\| (\.\d+) \|$", EVALUATION, re.MULTILINE)
    assert row("1,200 questions") == [f"{float(found):.1%}".removesuffix("%")]


def test_it_is_read_in_two_minutes() -> None:
    assert len(README.split()) < 600
