"""The README is short, and its figures are those of the evaluation."""

import re

import pytest

from tests.docs.fenced_blocks import ROOT

README = (ROOT / "README.md").read_text("utf-8")
EVALUATION = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
LOGBOOK = (ROOT / "docs" / "evaluation-log.md").read_text("utf-8")


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


def test_it_says_how_many_answers_over_real_sites_were_right() -> None:
    measured = section(EVALUATION, "Are the answers right?")
    right, cited, withheld = (
        cells(measured, name)[-1]
        for name in ("right", "a right page is cited", "wrongly refused, or closest sections only")
    )
    answerable = 128
    assert f"{answerable} of them answerable" in measured
    wrong = str(answerable - int(right) - int(withheld))
    assert row(f"{answerable} questions") == [right, wrong, withheld, cited]
    assert row("32 questions") == [cells(measured, "unanswerable (32): refused, or closest sections only")[-1]]


@pytest.mark.parametrize(
    ("first_cell", "heading", "told"),
    [
        ("46 questions", "What else confidence counts", r"every expected word for (\d+) of 46 questions"),
        ("877 questions", "The project's own questions", r"on 2026-11-29[^:]*: \*\*(\d+) of 877"),
    ],
)
def test_its_other_figures_stand_in_the_logbook(first_cell: str, heading: str, told: str) -> None:
    found = re.search(told, section(LOGBOOK, heading))
    assert found
    assert row(first_cell) == [found[1]]


def test_it_says_how_many_questions_in_other_languages_find_their_paragraph() -> None:
    [found] = re.findall(r"^\| xquad .*\| (\.\d+) \|$", EVALUATION, re.MULTILINE)
    assert row("1,200 questions") == [f"{float(found):.1%}".removesuffix("%")]


def test_it_is_read_in_two_minutes() -> None:
    assert len(README.split()) < 600
