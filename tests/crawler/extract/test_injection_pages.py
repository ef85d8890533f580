"""The written-down attacks on page text, as pages: what is visible stays, whatever it says.

What each row wants checked beyond that is checked by tests/answers/test_injection_cases.py.
"""

import re

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.page import Page
from tests.cases.case_rows import Row, load_rows, parameters

ROWS = load_rows("injection_pages.jsonl")


def _page(row: Row) -> Page:
    return extract_page(row["html"].encode("utf-8", "surrogatepass"), row["url"], "utf-8")


def _spaced(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("row", parameters(ROWS))
def test_what_the_page_is_for_survives(row: Row) -> None:
    if row.get("must_keep"):
        assert _spaced(row["must_keep"]) in _spaced(_page(row).markdown)


@pytest.mark.parametrize(
    "row",
    parameters(
        [
            row
            for row in ROWS
            if row.get("carrier") in {"visible", "pre", "raw"} and not row.get("hidden_text") and "technique" in row
        ]
    ),
)
def test_visible_text_is_never_flagged_away(row: Row) -> None:
    """An attack in plain sight is the prompt's and the answer guard's business: the page keeps it."""
    shown = re.sub(r"<(script|style|title|head)\b.*?</\1>|<[^>]*>", " ", row["html"], flags=re.DOTALL)
    if row["canary"] in shown and row["canary"] not in row["url"]:
        assert row["canary"] in _page(row).markdown
