"""What numbers count."""

import pytest

from app.core.text.number_kinds import CLOCK, MONEY, SHARE, THINGS, likeness, number_kinds, number_spellings
from tests.every_row import every_row


@every_row(
    ("text", "number", "kind"),
    [
        ("€3.90 a month", "3.90", MONEY),
        ("39 euro", "39", MONEY),
        ("20 % off", "20", SHARE),
        ("3 to 6 working days", "3", "days"),
        ("a 5-year warranty", "5", "years"),
        ("25 alert rules", "25", THINGS),
        ("from 14:00 on", "14:00", CLOCK),
        ("three-hour slot", "3", "hours"),
        ("14 Tage", "14", "days"),
        ("20 phần trăm", "20", SHARE),
        ("3 वर्ष की वारंटी", "3", "years"),
        ("7天内退款", "7", "days"),
        ("送料は500円", "500", MONEY),
        ("ضمان ٢ سنوات", "2", "years"),
        ("60 a minute", "60", ""),
        ("Stations Plus 3", "3", ""),
    ],
)
def test_a_number_counts_what_stands_beside_it(text: str, number: str, kind: str) -> None:
    assert number_kinds(text)[number] == {kind}


@pytest.mark.parametrize(
    ("sentence", "number", "pair"),
    [
        ("within two weeks", "two", ("14", "days")),
        ("for 36 months", "36", ("3", "years")),
        ("until 5 pm", "5", ("17:00", CLOCK)),
        ("until 17:00", "17:00", ("5", CLOCK)),
        ("until 9 am", "9", ("9:00", CLOCK)),
    ],
)
def test_time_may_be_told_in_another_way(sentence: str, number: str, pair: tuple[str, str]) -> None:
    assert pair in number_spellings(sentence)[number]


def test_a_price_is_no_number_of_things() -> None:
    assert likeness(MONEY, THINGS) == 0.0
    assert likeness(MONEY, MONEY) == 1.0
    assert likeness("", MONEY) == 1.0
    assert 0 < likeness(MONEY, "") < likeness("days", "") < 1
