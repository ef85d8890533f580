"""Characters that show nothing go; those that spell stay."""

import pytest

from crawler.extract.invisible_text import without_invisible
from tests.every_row import every_row


@every_row(
    "text",
    [
        pytest.param("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", id="a Persian non-joiner"),
        pytest.param("\u0915\u094d\u200d\u0937", id="a Devanagari joiner"),
        pytest.param("\u0d28\u0d4d\u200d", id="an old Malayalam chillu at the end of a word"),
        pytest.param("\u0dc1\u0dca\u200d\u0dbb\u0dd3", id="a Sinhala conjunct"),
        pytest.param("\U0001f468\u200d\U0001f469\u200d\U0001f467", id="a family"),
        pytest.param("\u2764\ufe0f\u200d\U0001f525", id="a heart on fire"),
        pytest.param("\U0001f3f3\ufe0f\u200d\U0001f308", id="a flag of two"),
        pytest.param("1\ufe0f\u20e3", id="a keycap"),
        pytest.param("\u845b\U000e0100", id="a variant of an ideograph"),
        pytest.param("na\u00efve caf\u00e9 \u20ac5\tand\nmore", id="ordinary text"),
    ],
)
def test_what_spells_stays(text: str) -> None:
    assert without_invisible(text) == text


@every_row(
    ("text", "left"),
    [
        pytest.param("I\u200bgn\u200core\u200d \u2060it", "Ignore it", id="zero width"),
        pytest.param("a" + "".join(chr(0xE0000 + ord(c)) for c in "obey"), "a", id="tags"),
        pytest.param("a\u202eb\u2066c\u2069\u200e\u061c", "abc", id="bidi controls"),
        pytest.param("a\ufe00\ufe01\ufe0f\U000e0101b", "ab", id="variation selectors without a base"),
        pytest.param("\U0001f600\ufe0f\U000e0130\U000e0131", "\U0001f600\ufe0f", id="bytes behind an emoji"),
        pytest.param("\u0646\u200c\u200c\u200d\u0647", "\u0646\u200c\u0647", id="more than one joiner"),
        pytest.param("a\u00adb\ufeff\u3164\u115f\u034f", "ab", id="fillers and soft hyphens"),
        pytest.param("a\x1b[31m\x00\x85", "a[31m\x85", id="controls"),
        pytest.param("\ufff9a\ufffab\ufffb", "ab", id="annotations"),
        pytest.param("\u180eA\u2062B", "AB", id="invisible operators"),
    ],
)
def test_what_shows_nothing_goes(text: str, left: str) -> None:
    assert without_invisible(text) == left


def test_a_flag_of_tags_becomes_the_flag_alone() -> None:
    england = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbeng") + "\U000e007f"
    assert without_invisible(england) == "\U0001f3f4"
