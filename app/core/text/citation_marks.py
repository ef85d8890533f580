"""The [n] marks in an answer, which name the sources of the words before them."""

import re
from typing import Final

MARK: Final = re.compile(r"\[(\d{1,3})\](?!\()")  # a link may have a number as its label
_MARK_AND_BLANKS: Final = re.compile(rf"(?:(?<![ \t])[ \t]++)?{MARK.pattern}")


def marked_numbers(text: str) -> list[int]:
    """The numbers of the marks, in order."""
    return [int(number) for number in MARK.findall(text)]


def without_citations(text: str) -> str:
    """The text without its marks and the blanks before them."""
    return _MARK_AND_BLANKS.sub("", text)
