"""A fact stands where the source speaks of the same, not anywhere on the page."""

import pytest

from app.answers.guard.answer_evidence import Evidence, KnownSections, Section

PAGE = """
## Plans

| | Basic | Plus |
| --- | --- | --- |
| Price a month | €0 | €3.90 |
| Stations | 1 | 3 |

## Shipping

Shipping to Ireland takes 2 days and costs €4.90. Shipping to Norway takes 8 days and costs €14.90.
We do not ship to post-office boxes.

```sh
docker run -p 80:80 nimbrel
```
"""
EVIDENCE = Evidence([Section.cut("Prices", PAGE)])


@pytest.mark.parametrize(
    "sentence",
    [
        "The Plus plan costs €3.90 a month.",
        "With Basic you have 1 station.",
        "A parcel to Norway takes 8 days.",
        "Shipping to Ireland is €4.90.",
        "Post-office boxes are not served.",
        "Start it with `docker run -p 80:80 nimbrel`.",
        "You are welcome.",
    ],
)
def test_what_the_source_says_is_proven(sentence: str) -> None:
    assert EVIDENCE.verdict(sentence).is_proven


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        pytest.param("The Plus plan costs €4.20 a month.", "4.20", id="a number that is nowhere"),
        pytest.param("Shipping to Norway costs €4.90.", "4.90", id="the number of another country"),
        pytest.param("The Basic plan costs €3.90 a month.", "3.90", id="the price of another plan"),
        pytest.param("Shipping to Sweden takes 8 days.", "Sweden", id="a name that is nowhere"),
        pytest.param("Start it with `docker run nimbrel --rm`.", "docker run nimbrel --rm", id="other code"),
    ],
)
def test_what_it_does_not_say_is_missing(sentence: str, missing: str) -> None:
    assert missing in [fact.text for fact in EVIDENCE.verdict(sentence).missing]


def test_the_contrary_of_what_stands_there_is_no_proof() -> None:
    assert EVIDENCE.verdict("We ship to post-office boxes.").is_contradicted


def test_what_no_place_speaks_of_needs_its_meaning_compared() -> None:
    assert EVIDENCE.verdict("Penguins swim in cold water.").needs_meaning
    assert not EVIDENCE.verdict("Shipping to Norway takes 8 days.").needs_meaning


def test_a_section_that_was_cut_is_not_cut_again() -> None:
    known = KnownSections()
    assert known.section("Prices", PAGE) is known.section("Prices", PAGE)
    assert known.section("Prices of 2025", PAGE) is not known.section("Prices", PAGE)
