"""A day to come that has passed, a year told as new, and a price with a line through it are found; history is not."""

from datetime import date

import pytest

from app.site_report.ageing_facts import ageing_facts, is_post, is_under_date
from app.site_report.site_report import AgeingKind
from tests.every_row import every_row
from tests.site_report.pages import demo_pages, page

TODAY = date(2026, 11, 29)


def found(markdown: str, language: str | None = "en") -> list[tuple[AgeingKind, str]]:
    return [(each.kind, each.what) for each in ageing_facts(page("/a", markdown, language=language), TODAY)]


@every_row(
    ("text", "language", "day"),
    [
        ("Applications are open until 31 March 2026.", "en", "2026-03-31"),
        ("Register by March 3rd, 2026 to take part.", "en", "2026-03-03"),
        ("The new rates will apply on 2026-01-01.", "en", "2026-01-01"),
        ("Das Angebot gilt bis zum 31. März 2026.", "de", "2026-03-31"),
        ("L'offre est valable jusqu'au 1er mars 2026.", "fr", "2026-03-01"),
        ("El plazo termina y vence el 5 de mayo de 2026.", "es", "2026-05-05"),
        ("Puoi iscriverti entro il 3 giugno 2026.", "it", "2026-06-03"),
        ("De actie loopt tot en met 3 juni 2026.", "nl", "2026-06-03"),
        ("As inscrições vão até 3 de junho de 2026.", "pt", "2026-06-03"),
    ],
)
def test_a_day_to_come_that_has_passed(text: str, language: str, day: str) -> None:
    assert found(text, language) == [(AgeingKind.PAST_DATE, day)]


@every_row(
    "text",
    [
        "Applications are open until 31 March 2027.",
        "The rates apply from 1 January 2026.",
        "We were founded on 3 March 2017 in a shed.",
        "Orders before 3 March 2026 keep the old warranty.",
        "Open from 1 March 2026 until 1 March 2027.",
        "Ask for RFC 2025 until it is there.",
        "`until 31 March 2026`",
    ],
)
def test_what_still_holds_or_tells_of_the_past_is_left_alone(text: str) -> None:
    if not text.startswith("`"):
        assert found(text) == []
    else:
        assert found(f"```\n{text}\n```") == []


@pytest.mark.parametrize(("year", "facts"), [(2025, [(AgeingKind.PAST_YEAR, "2025")]), (2026, []), (2027, [])])
def test_a_year_that_is_told_as_new_ages_when_it_ends(year: int, facts: list[tuple[AgeingKind, str]]) -> None:
    assert found(f"All Star membership (new in {year}!) has more.") == facts


def test_a_price_with_a_line_through_it_is_shown_with_its_row() -> None:
    [fact] = ageing_facts(page("/a", "| Plan | Price |\n| --- | --- |\n| Plus | ~~€12~~ none |"), TODAY)
    assert (fact.kind, fact.what, "Plus" in fact.excerpt.text) == (AgeingKind.STRUCK_OUT, "€12", True)
    assert found("A ~~very~~ good plan.") == []


def test_news_say_their_day_by_their_address_or_at_their_beginning() -> None:
    assert is_post(page("/news/2024/03/01/rates", "# Rates\n\nThey change."))
    assert is_post(page("/blog/rates", "# Rates\n\nPublished 1 March 2024. They change.", dated=date(2024, 3, 1)))
    assert not is_post(page("/rates", "# Rates\n\nThey changed on 1 March 2024.", dated=date(2026, 1, 1)))
    assert not is_post(page("/room-2024", "# Rooms\n\nText."))


def test_a_section_below_a_year_is_history() -> None:
    [section] = page("/changelog", "# Changes\n\n## 10 March 2024\n\nNew until 31 March 2024.")
    assert is_under_date(section)


def test_the_demonstration_site_has_aged_nowhere() -> None:
    assert ageing_facts([chunk for each in demo_pages() if not is_post(each) for chunk in each], TODAY) == []
