"""Words that deny, limit, or make a condition."""

from app.core.text.polarity import denied_parts, denies, has_exception, is_condition, limits
from tests.every_row import every_row


@every_row(
    ("text", "is_denial"),
    [
        ("It is not covered.", True),
        ("You can't return it.", True),
        ("Das geht nicht.", True),
        ("No more than 40 items may be out.", False),
        ("Not only on weekdays", False),
        ("It is no longer available.", True),
        ("Nothing is charged.", True),
        ("It is covered.", False),
    ],
)
def test_denials(text: str, is_denial: bool) -> None:
    assert denies(text) is is_denial


@every_row("text", ["Wi-Fi only", "The card is refused.", "a wrong code", "unused months lapse", "switched off"])
def test_words_that_deny_without_not(text: str) -> None:
    assert limits(text)


@every_row("text", ["a United parcel", "an extra discount", "20 % off", "a contactless card"])
def test_words_that_only_look_so(text: str) -> None:
    assert not limits(text)


def test_conditions_and_exceptions() -> None:
    assert is_condition("if you do not pay")
    assert not is_condition("you do not pay")
    assert has_exception("It cannot be used without a key.")


@every_row(
    ("text", "denied"),
    [
        ("Unused SMS do not carry over to the next month.", ["carry over to the next month"]),
        ("Readings are hidden, not deleted, for 90 days.", ["deleted"]),
        ("There is no fee.", ["fee."]),
        ("If it is not there, write to us.", []),
        ("No more than 40 items may be out.", []),
    ],
)
def test_what_is_denied_follows_the_word_that_denies_it(text: str, denied: list[str]) -> None:
    assert [part.strip().startswith(begin) for part, begin in zip(denied_parts(text), denied, strict=True)] == [
        True for _ in denied
    ]
