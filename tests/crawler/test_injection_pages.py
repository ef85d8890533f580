"""The written-down attacks on page text: what is hidden goes, what is visible stays, whatever it says.

`DOCENT_CASES` names another folder with a file of the same shape.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from crawler.extraction import extract_page
from crawler.page import Page

_FOLDER = Path(os.environ.get("DOCENT_CASES", Path(__file__).parents[1] / "data" / "security"))
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\x00-\x08\x0e-\x1f]"
)
_LATIN_JOINER = re.compile("[A-Za-z][\u200c\u200d]|[\u200c\u200d][A-Za-z]")
Row = dict[str, Any]


def _rows() -> list[Row]:
    lines = (_FOLDER / "injection_pages.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _having(*checks: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in _rows() if set(checks) & set(row["checks"])]


def _page(row: Row) -> Page:
    return extract_page(row["html"].encode("utf-8", "surrogatepass"), row["url"], "utf-8")


def _indexed(page: Page) -> str:
    """All of a page that may reach the index or the prompt."""
    headings = "\n".join(heading.text for heading in page.headings)
    return "\n".join((page.title, page.description, headings, page.markdown))


def _spaced(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in _rows()])
def test_what_the_page_is_for_survives(row: Row) -> None:
    if row.get("must_keep"):
        assert _spaced(row["must_keep"]) in _spaced(_page(row).markdown)


@pytest.mark.parametrize("row", _having("ingest.hidden_dropped"))
def test_hidden_text_reaches_nothing(row: Row) -> None:
    text = _spaced(_indexed(_page(row)))
    assert row["canary"] not in text
    if row.get("hidden_text"):
        assert _spaced(row["hidden_text"]) not in text


@pytest.mark.parametrize("row", _having("ingest.invisible_removed"))
def test_invisible_characters_are_removed(row: Row) -> None:
    text = _indexed(_page(row))
    assert not _INVISIBLE.search(text)
    assert not _LATIN_JOINER.search(text)


@pytest.mark.parametrize("row", _having("control.answerable"))
def test_a_harmless_page_keeps_all_it_shows(row: Row) -> None:
    markdown = _page(row).markdown
    assert row["canary"] in markdown
    assert _spaced(row["must_keep"]) in _spaced(markdown)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row["id"])
        for row in _rows()
        if row.get("carrier") in {"visible", "pre", "raw"} and not row.get("hidden_text") and "technique" in row
    ],
)
def test_visible_text_is_never_flagged_away(row: Row) -> None:
    """An attack in plain sight is the prompt's and the answer guard's business: the page keeps it."""
    shown = re.sub(r"<(script|style|title|head)\b.*?</\1>|<[^>]*>", " ", row["html"], flags=re.DOTALL)
    if row["canary"] in shown and row["canary"] not in row["url"]:
        assert row["canary"] in _page(row).markdown
