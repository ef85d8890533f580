"""Numbers that a source has, of something else than what the sentence says."""

from app.answers.guard.answer_evidence import Evidence
from app.answers.guard.evidence_places import Section
from app.core.text.stated_facts import FactKind

STEPS = """
1. **Restart it.** Hold the button for 6 seconds until the light goes out, wait ten seconds, press once.
2. **Add it again.** Hold the button for 3 seconds until it blinks twice, then choose Add station.

| | Basic | Pro |
| --- | --- | --- |
| Warranty on stations | 3 years | 5 years |
"""
DIGITS = (
    "If the sixth digit is 0, 5, 6, 7 or 8, the statement is paid directly by the government and should not be subject "
    "to state sales tax. If it is 1, 2, 3 or 4, the statement is not paid directly by the government and may be "
    "subject to state sales tax."
)
ACCOUNTS = """
| Sixth Digit of the Travel Account | Account Type |
| --- | --- |
| 0 | Central |
| 2 - 4 | Individual |
| 6 - 8 | Central |
"""
STEPS_EVIDENCE = Evidence([Section.cut("My station is offline", STEPS)])


def test_a_number_is_missing_if_another_one_stands_with_all_of_its_words_and_more() -> None:
    wrong = STEPS_EVIDENCE.verdict("Hold the button for 3 seconds to restart the station.")
    assert [fact.text for fact in wrong.missing] == ["3"]
    assert STEPS_EVIDENCE.verdict("Hold the button for 6 seconds to restart the station.").is_proven


def test_what_some_columns_of_a_row_say_is_not_said_of_all() -> None:
    assert STEPS_EVIDENCE.verdict("Stations have a warranty of 5 years on every plan.").is_contradicted
    assert STEPS_EVIDENCE.verdict("Every station has a warranty of 5 years on Pro.").is_stated


def test_a_number_of_what_is_denied_is_hardly_another_one() -> None:
    evidence = Evidence([Section.cut("Questions", DIGITS), Section.cut("Hints", ACCOUNTS)])
    told = (
        "The sixth digit of the Travel Account is 0, 5, 6, 7 or 8, which means the statement is paid directly by the "
        "government and should not be subject to state sales tax."
    )
    missing = evidence.verdict(told).missing
    assert [fact.text for fact in missing if fact.kind is FactKind.NUMBER] == []
