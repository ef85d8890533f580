"""A sentence that says the contrary of its source in other words."""

from app.answers.guard.answer_evidence import Evidence
from app.answers.guard.evidence_places import Section
from app.answers.guard.sentence_kind import SentenceKind, sentence_kind
from tests.every_row import every_row

PAGE = """
## Public map

The public map shows a station with its position blurred to 500 m. Members may live at different addresses.

## Codes

The code of the card can be scanned just once. An export file covers up to 366 days.

## Blocking

Blocking a card is free and can be undone for 30 days. A replacement card costs €9.90.

## Battery

You can replace the battery in two minutes.

## Delivery

We ship to Ireland and Norway. We do not ship to other countries.

## Transfers

Bank transfer is possible for orders over €500, and for yearly plans.

## Downgrade

After a downgrade older readings are kept hidden for 90 days before they are deleted.
"""
EVIDENCE = Evidence([Section.cut("Help", PAGE)])


@every_row(
    "sentence",
    [
        "The public map shows the exact position of a station.",
        "Members have to live at the same address.",
        "The code of the card may be scanned several times.",
        "An export file covers an unlimited period.",
        "Blocking a card costs €9.90 and can be undone for 30 days.",
        "A replacement card is free.",
        "You can replace the battery only at our workshop.",
        "After a downgrade older readings are deleted immediately.",
    ],
)
def test_the_contrary_of_what_the_source_says_is_found(sentence: str) -> None:
    assert EVIDENCE.verdict(sentence).is_contradicted


def test_a_number_that_counts_what_follows_needs_no_source() -> None:
    told = "Bank transfer is possible in two cases: orders over €500, and yearly plans."
    assert EVIDENCE.verdict(told).is_proven
    assert not EVIDENCE.verdict("Bank transfer is possible for seven orders over €500.").is_proven
    assert sentence_kind("Here are the two smaller tariffs:") is SentenceKind.HEADING
    assert sentence_kind("The tariffs cost €9.99 and €15.99:") is SentenceKind.STATEMENT


@every_row(
    "sentence",
    [
        "The public map shows a blurred position of the station.",
        "Members can live at different addresses.",
        "You can scan the code of the card only once.",
        "An export file covers at most 366 days.",
        "Blocking a card costs nothing and can be undone for 30 days.",
        "A replacement card costs €9.90.",
        "Blocking is free, but a replacement card costs €9.90.",
        "The battery can be replaced in two minutes.",
        "After a downgrade older readings stay hidden for 90 days, then they are deleted.",
        "Unfortunately, we do not ship to Japan.",
    ],
)
def test_what_the_source_says_in_other_words_is_no_contrary(sentence: str) -> None:
    assert not EVIDENCE.verdict(sentence).is_contradicted
