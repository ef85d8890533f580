"""What a page no longer says: by its words, its numbers and its names."""

import pytest

from app.stale_answers.changed_page import ChangedPage
from app.stale_answers.stale_answer import StaleKind
from tests.every_row import every_row

PLANS = """# Plans

Every plan begins with a free month. You can cancel at any time.

| Plan | Price | Seats |
|---|---|---|
| Starter | €9 a month | 3 |
| Studio | €29 a month | 10 |

Invoices are sent by mail."""


def changed(old: str, new: str) -> ChangedPage:
    assert old in PLANS
    return ChangedPage("Plans", PLANS, PLANS.replace(old, new))


def test_a_quotation_is_stale_by_the_units_that_stand_no_longer() -> None:
    page = changed("€29", "€39")
    assert page.lost_quotation("Studio\t€29 a month\t10") == "Studio €29 a month 10"
    assert page.lost_quotation("Starter\t€9 a month\t3\nStudio\t€29 a month\t10") == "Studio €29 a month 10"
    assert page.lost_quotation("Starter\t€9 a month\t3") == ""
    assert page.lost_quotation("Invoices are sent by mail.") == ""


@every_row(
    ("old", "new"),
    [
        pytest.param("You can cancel", "You   can *cancel*", id="blanks and emphasis"),
        pytest.param("begins with", "Begins, with", id="case and punctuation"),
        pytest.param("# Plans", "# All our plans", id="a heading"),
        pytest.param("Invoices are", "Receipts are", id="another sentence"),
    ],
)
def test_what_does_not_change_the_words_makes_nothing_stale(old: str, new: str) -> None:
    quote = "Every plan begins with a free month. You can cancel at any time."
    assert changed(old, new).lost_quotation(quote) == ""


def test_what_the_page_never_said_is_not_lost() -> None:
    assert changed("€29", "€39").lost_quotation("Enterprise\t€99 a month") == ""


@every_row(
    ("text", "lost"),
    [
        pytest.param("The Studio plan costs €29 a month.", 1, id="its number has changed"),
        pytest.param("The Starter plan costs €9 a month.", 0, id="its number stands"),
        pytest.param("We are happy to help.", 0, id="it states nothing"),
        pytest.param("The Studio plan costs €25 a month.", 0, id="the page never proved it"),
    ],
)
def test_other_words_are_stale_by_what_the_page_proved(text: str, lost: int) -> None:
    assert len(changed("€29", "€39").lost_statements(text, "en")) == lost


def test_a_number_that_moved_to_another_row_no_longer_proves_the_first() -> None:
    swapped = PLANS.replace("€9", "€x").replace("€29", "€9").replace("€x", "€29")
    page = ChangedPage("Plans", PLANS, swapped)
    assert len(page.lost_statements("The Studio plan costs €29 a month.", "en")) == 1


@every_row(
    ("old", "new", "kind", "instead"),
    [
        pytest.param("within 30 days", "within 14 days", StaleKind.CONTRADICTED, "14", id="another number"),
        pytest.param("You may return", "You may not return", StaleKind.CONTRADICTED, "not", id="the contrary"),
        pytest.param("You may return a lamp", "Please return a lamp", StaleKind.REWORDED, "Please", id="other words"),
        pytest.param("You may return a lamp within 30 days.", "", StaleKind.GONE, "", id="nothing"),
    ],
)
def test_what_the_page_says_in_their_place_tells_the_kind(old: str, new: str, kind: StaleKind, instead: str) -> None:
    before = "# Returns\n\nYou may return a lamp within 30 days. Postage is free."
    page = ChangedPage("Returns", before, before.replace(old, new))
    words = page.lost_quotation("You may return a lamp within 30 days.")
    assert page.kind(words, "en") is kind
    assert instead in page.instead_of(words)


def test_all_is_lost_with_the_page() -> None:
    page = ChangedPage("Plans", PLANS, "")
    assert page.lost_quotation("Invoices are sent by mail.") == "Invoices are sent by mail."
    assert page.kind("Invoices are sent by mail.", "en") is StaleKind.GONE
