"""What a sentence states that can be looked up."""

import pytest

from app.core.text.stated_facts import facts_of, numbers_in, spellings
from tests.every_row import every_row


def said(sentence: str, language: str | None = "en") -> list[str]:
    return [fact.text for fact in facts_of(sentence, language)]


@every_row(
    ("sentence", "expected"),
    [
        pytest.param("It costs €3.90 a month [1].", ["3.90"], id="a price, and no citation"),
        pytest.param("1. Wait 1,500 ms until 14:00.", ["1,500", "14:00"], id="no number of a list"),
        pytest.param("Needs firmware 2.9.1 and E42.", ["E42", "2.9.1"], id="a version and a code"),
        pytest.param("Run `docent work --now` first.", ["docent work --now"], id="code is one fact"),
        pytest.param("Run docent work --fix-all first.", ["--fix-all"], id="an option without backticks"),
        pytest.param("Wait -- then press it.", [], id="a dash"),
        pytest.param("Orders to Norway go by USB-C.", ["Norway", "USB-C"], id="names"),
        pytest.param("Acme costs more.", ["Acme"], id="a name that opens the sentence"),
        pytest.param("Simply press it twice.", ["twice"], id="a word that opens it is none"),
        pytest.param("You can ask us.", [], id="nothing"),
    ],
)
def test_facts_of_a_sentence(sentence: str, expected: list[str]) -> None:
    assert said(sentence) == expected


def test_german_nouns_are_no_names() -> None:
    assert said("Der Versand nach Norwegen mit DHL dauert 5 Tage.", "de") == ["5", "DHL"]


def test_numbers_meet_in_other_spellings() -> None:
    assert spellings("1,500") & spellings("1500")
    assert spellings("3,90") & spellings("3.9")
    assert spellings("two") & spellings("2")
    assert not spellings("30") & spellings("300")


def test_numbers_of_identifiers_are_no_numbers() -> None:
    assert numbers_in("NB-W1 costs 109, E42 does not.") == {"109"}
