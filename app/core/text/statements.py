"""Where the sentences of an answer end, while it is still being written."""

import re
from typing import Final

# A full stop, closing quotation marks, and the sentence's citations. A line break also ends a sentence: an item, a row,
# a heading. In scripts without a space after a full stop, none is expected.
_END: Final = re.compile(
    r"(?:(?<!\d)[.!?…؟؛।]|(?<=\d)[.!?…؟](?=[ \t\n\"')\]»”’*_]))[\"')\]»”’*_]{0,3}(?:[ \t]{0,2}\[\d{1,3}\]){0,9}"
    r"(?:[ \t]*\n+|[ \t]+)"
    r"|[。！？][」』”）]{0,2}(?:\[\d{1,3}\]){0,9}"
    r"|\n+"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|st|fig|incl|max|min|z\.\s?B|bzw|ca|p\.\s?ex|av)"
    r"|\b[^\W\d_]|(?:^|\n)[ \t]*\d{1,3})\.\s*\Z",
    re.IGNORECASE,
)
_CITATION_AHEAD: Final = re.compile(r"\[(?:\d{1,3}\]|\d{0,3}\Z)")  # perhaps not yet whole
_ALONE_IN_ITS_LINE: Final = re.compile(r"(?:\[\d{0,3}\]?[ \t.,]*)+(?:\n|\Z)")
_OF_AN_END: Final = ".!?…؟؛।。！？\"')]»”’*_」』）[ \t\n0123456789"  # and the digits of other scripts


def statement_ends(text: str, start: int = 0) -> list[int]:
    """The positions after each sentence that has ended, including its citations and the blanks after it, ascending.

    The text may still grow, so an end that nothing follows yet does not count. Ends that begin before `start` are left
    out: to follow a growing text, continue where it was `undecided_from`.
    """
    ends = []
    for found in _END.finditer(text, start):
        is_line = text[found.end() - 1] == "\n"
        if found.end() == len(text) and not is_line and not found.group().endswith(("。", "！", "？")):
            continue  # a citation may follow
        if _CITATION_AHEAD.match(text, found.end()) and not (
            is_line and not _ALONE_IN_ITS_LINE.match(text, found.end())
        ):
            continue
        if not is_line and _ABBREVIATION.search(text[max(0, found.start() - 20) : found.start() + 1]):
            continue
        ends.append(found.end())
    return ends


def undecided_from(text: str) -> int:
    """The first position at which further text may still create or move an end: the marks, blanks and citations after
    the last word."""
    at = len(text.rstrip(_OF_AN_END))
    while at and text[at - 1].isdecimal():
        at = len(text[: at - 1].rstrip(_OF_AN_END))
    return at
