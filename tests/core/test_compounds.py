"""What may be written joined or in parts."""

import pytest

from app.core.text.compounds import Compound, compounds, is_spelt_in, with_plain_numbers
from tests.every_row import every_row
from tests.linear_time import takes_linear_time


def joined(text: str) -> list[str]:
    return [each.joined for each in compounds(text) if isinstance(each, Compound)]


@every_row(
    ("text", "expected"),
    [
        pytest.param("Wi-Fi, node.js and usb", ["WiFi", "nodejs"], id="joints within a word"),
        pytest.param("the end. Next-door", ["Nextdoor"], id="no joint ends a sentence"),
        pytest.param("ABX-9921-K, ABX 9921 K", ["ABX9921K", "ABX9921K"], id="a code in parts"),
        pytest.param("USA and 256 GB or 256gb", ["256GB", "256gb"], id="a number and its unit"),
        pytest.param("030 123456 or 10-15 or 1 299", ["030123456", "1299"], id="digits that are one number"),
        pytest.param("Wi-Fi密码 2026年", ["WiFi", "2026"], id="another script ends a word"),
        pytest.param("کتاب\u200cها", ["کتابها"], id="Persian parts"),
        pytest.param("ई-मेल", ["ईमेल"], id="marks belong to their word"),
        pytest.param("a3f9c2d1e8", [], id="what nobody would write otherwise"),
    ],
)
def test_compounds_of_a_text(text: str, expected: list[str]) -> None:
    assert joined(text) == expected


def test_all_words_are_there_in_their_order() -> None:
    words = [each if isinstance(each, str) else " ".join(each.words) for each in compounds("my Wi-Fi is 10-15 m away")]
    assert " ".join(words).split() == ["my", "Wi", "Fi", "is", "10", "15", "m", "away"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("$1,299.00 or 1.299,50 € or 1'000", "$1299 or 1299,50 € or 1000"),
        ("0 986 494 123 of 1 299", "0986494123 of 1 299"),
        ("12.50 and 3.11.2 and 1234,567", "12.50 and 3.11.2 and 1234,567"),
    ],
)
def test_numbers_are_written_as_their_digits(text: str, plain: str) -> None:
    assert with_plain_numbers(text) == plain


@every_row(
    ("text", "is_code", "is_designation"),
    [
        ("ABX-9921-K", True, True),
        ("E-777", False, True),
        ("F30", False, True),
        ("0986494123", False, True),
        ("30-day", False, False),
        ("256GB", False, False),
        ("2024-05-01", False, False),
        ("mp3-to-mp4", False, False),
    ],
)
def test_a_designation_names_one_thing_of_many(text: str, is_code: bool, is_designation: bool) -> None:
    [found] = [each for each in compounds(text) if isinstance(each, Compound)]
    assert (found.is_code, found.is_designation) == (is_code, is_designation)


def test_a_code_is_found_however_it_is_cut() -> None:
    assert is_spelt_in("the abx 9921-k costs 20", "abx9921k")
    assert not is_spelt_in("the abx-9921-kl costs 20", "abx9921k")


@pytest.mark.parametrize("unit", ["a-", "1 ", "1,000", "A 1 ", "a1", "x.", "\u05be"])
def test_endless_texts_take_linear_time(unit: str) -> None:
    assert takes_linear_time(lambda text: list(compounds(with_plain_numbers(text))), unit, 20_000)
