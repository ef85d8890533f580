"""What the eye does not see stands there by its number."""

from app.web.console.filters import revealed
from tests.every_row import every_row


@every_row(
    ("text", "parts"),
    [
        ("", []),
        ("two\n\tlines <b>", [("two\n\tlines <b>", "")]),
        ("a\u200bb", [("a", ""), ("U+200B", "ZERO WIDTH SPACE"), ("b", "")]),
        ("\u202egnp", [("U+202E", "RIGHT-TO-LEFT OVERRIDE"), ("gnp", "")]),
        (
            "\U000e0041\U000e0042",
            [("U+E0041", "TAG LATIN CAPITAL LETTER A"), ("U+E0042", "TAG LATIN CAPITAL LETTER B")],
        ),
        ("\x1b[2J", [("U+001B", "no character"), ("[2J", "")]),
        ("\u3164\ufe0f", [("U+3164", "HANGUL FILLER"), ("U+FE0F", "VARIATION SELECTOR-16")]),
        ("caf\u00e9 \u0928\u093f \u65e5\u672c", [("caf\u00e9 \u0928\u093f \u65e5\u672c", "")]),
    ],
)
def test_unseen_characters_are_told_apart(text: str, parts: list[tuple[str, str]]) -> None:
    assert revealed(text) == parts
