"""Splits text into sentences, and finds the ends of sentences in an answer that is still being written."""

import re
from functools import cache
from typing import Final

from app.core.text.languages import LANGUAGES, any_of, language_table

# Unicode's Sentence_Terminal, https://www.unicode.org/reports/tr29/#Sentence_Boundaries. `_STOPS` may also be used
# within sentences (ATerm there). `_ENDS` belong to scripts with blanks between words and only end a sentence before a
# blank, `_JOINED_ENDS` to scripts without. The Greek question mark is a semicolon; Khmer and Tibetan marks are added.
_STOPS: Final = ".\u2024\u2026\ufe52\uff0e"
_ENDS: Final = "!?\u203c\u203d\u2047-\u2049\u2e2e\u0589\u1362\u1367\u1368"
_JOINED_ENDS: Final = (
    "\u061d-\u061f\u06d4\u0700-\u0702\u0964\u0965\u0df4\u0f0d\u0f0e\u104a\u104b\u17d4\u17d5\u1803\u1809"
    "\u1944\u1945\u3002\ufe56\ufe57\uff01\uff1f\uff61"
)
_CLOSERS: Final = "\"')\\]}*_\u2019\u201d\u00bb\u203a\u300d\u300f\uff09\u3011\u300b"
_OPENERS: Final = "\"'(\\[{*_\u00bf\u00a1\u2018\u201c\u201e\u201a\u00ab\u2039\u300c\u300e\uff08\u3010\u300a"
_ASKS: Final = "?\u203d\u2047-\u2049\u1367"
# The look-behind makes the pattern match a run of signs only from its first one, which keeps the search linear.
_END = re.compile(
    rf"(?<![{_STOPS}{_ENDS}])[{_STOPS}{_ENDS}]++[{_CLOSERS}]*+(?=\s|\Z)"
    rf"|[{_JOINED_ENDS}][{_STOPS}{_ENDS}{_JOINED_ENDS}]*+[{_CLOSERS}]*+"
    r"|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e](?=\s|\Z)|\n\s*\n"
)
_QUESTION = re.compile(
    rf"(?<![!{_ASKS}])!*+[{_ASKS}][!{_ASKS}]*+[{_CLOSERS}]*+(?=\s|\Z)|[\u061f\uff1f\u055e\u2e2e]"
    r"|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e](?=\s|\Z)"
)
_NEXT = re.compile(rf"\s*+[{_OPENERS}]*+(\S)?")
_LAST_WORD = re.compile(r"\S+\Z")
_WORD_CHARS: Final = 24  # no abbreviation is longer
# Thai and Lao have no mark at the end of a sentence: a blank separates phrases, and after this many letters usually
# sentences.
_UNMARKED = re.compile(r"(?<=[\u0e00-\u0eff]) (?=[\u0e00-\u0eff])")
_UNMARKED_CHARS: Final = 40


def points_back(sentence: str) -> bool:
    """Whether a sentence begins with a word that refers to the text before it: "Then it is ...", "They ..."."""
    return bool(_pointing_back().match(sentence))


@cache
def _pointing_back() -> re.Pattern[str]:
    return re.compile(rf"(?:{any_of(language_table('en')['follow_up']['sentence_opens'])})\b(?!')", re.IGNORECASE)


def asks(text: str) -> bool:
    """Whether the text contains the end of a question, by the question marks of all scripts."""
    return bool(_QUESTION.search(text))


def sentences(text: str) -> list[str]:
    """The sentences of a plain text in order, in any script, each on one line; a blank line also ends one.

    Follows UAX 29 with changes: in scripts with blanks, a mark only ends a sentence before a blank; no sentence begins
    with a lower-case letter; and none ends after initials, German dates, and abbreviations of Docent's languages.
    """
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if end.start() >= start and _is_end(text, start, end):
            found.append(text[start : end.end()])
            start = end.end()
    lines = (" ".join(part.split()) for part in (*found, text[start:]))
    return [sentence for line in lines if line for sentence in _unmarked(line)]


def _is_end(text: str, start: int, end: re.Match[str]) -> bool:
    mark = end[0].rstrip()
    following = _NEXT.match(text, end.end())
    first = (following[1] if following else None) or ""
    if not mark or not first:
        return True
    if first.islower() and first.title() != first:  # Georgian has but one case in running text
        return False
    if mark[0] not in _STOPS or len(mark) > 1:
        return True
    before = _LAST_WORD.search(text, max(start, end.start() - _WORD_CHARS), end.start())
    return before is None or not _is_shortened(before[0], text, end.end())


def _is_shortened(word: str, text: str, after: int) -> bool:
    """Whether the full stop belongs to the word: "e.g.", "J.", "3. Oktober"."""
    bare = word.lstrip("\"'([{*_\u00ab\u201e\u201c").casefold()
    if bare.isdecimal() and len(bare) <= 2:
        following = text[after : after + _WORD_CHARS].split()
        return bool(following) and following[0].strip(".,;:!?").casefold() in _counted()
    is_initial = len(bare) == 1 and bare.isalpha() and word[-1:].isupper()
    return is_initial or f"{bare}." in _abbreviations() or f"{bare.rpartition('.')[2]}." in _abbreviations()


@cache
def _counted() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in language_table(language)["counted"])


@cache
def _abbreviations() -> frozenset[str]:
    """The abbreviations of all languages in lower case, and their parts, because "z.B." may be written "z. B."."""
    listed = [each.casefold() for language in LANGUAGES for each in language_table(language)["abbreviations"]]
    parts = [f"{part}." for each in listed if each.count(".") > 1 for part in each.split(".") if part]
    return frozenset((*listed, *parts))


def _unmarked(line: str) -> list[str]:
    """A line of a script without marks, split at the first blank after every _UNMARKED_CHARS."""
    if len(line) <= _UNMARKED_CHARS:
        return [line]
    parts: list[str] = []
    start = 0
    for blank in _UNMARKED.finditer(line):
        if blank.start() - start >= _UNMARKED_CHARS:
            parts.append(line[start : blank.start()])
            start = blank.end()
    return [*parts, line[start:]]


# A full stop, closing quotation marks, and the sentence's citations; in scripts with spaces, one must follow. A line
# break also ends a sentence, because items, rows and headings need no full stop.
_AFTER_STOP: Final = r"[\"')\]»”’*_]{0,3}(?:[ \t]{0,2}\[\d{1,3}\]){0,9}"
_JOINED_END: Final = r"[。！？][」』”）]{0,2}(?:\[\d{1,3}\]){0,9}"
_STATEMENT_END: Final = re.compile(
    rf"(?:(?<!\d)[.!?…؟؛।]|(?<=\d)[.!?…؟](?=[ \t\n\"')\]»”’*_])){_AFTER_STOP}(?:[ \t]*\n+|[ \t]+)|{_JOINED_END}|\n+"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|st|fig|incl|max|min|z\.\s?B|bzw|ca|p\.\s?ex|av)"
    r"|\b[^\W\d_]"
    # The number of an item, which stands where a sentence may begin.
    rf"|(?:^|\n|[.!?…؟؛।]{_AFTER_STOP}[ \t]|{_JOINED_END})[ \t]*\d{{1,3}})\.\s*\Z",
    re.IGNORECASE,
)
_BEFORE_NUMBER: Final = 80  # characters: the end of a sentence with nine citations
_CITATION_AHEAD: Final = re.compile(r"\[(?:\d{1,3}\]|\d{0,3}\Z)")  # a citation, or the beginning of one
_ALONE_IN_ITS_LINE: Final = re.compile(r"(?:\[\d{0,3}\]?[ \t.,]*)+(?:\n|\Z)")
_OF_AN_END: Final = ".!?…؟؛।。！？\"')]»”’*_」』）[ \t\n0123456789"  # and the digits of other scripts


def statement_ends(text: str, start: int = 0) -> list[int]:
    """The positions after each sentence that has ended, including its citations and the blanks after it, ascending.

    The text may still grow, so an end that nothing follows yet does not count. Ends that begin before `start` are left
    out: to follow a growing text, continue where it was `undecided_from`.
    """
    ends = []
    for found in _STATEMENT_END.finditer(text, start):
        is_line = text[found.end() - 1] == "\n"
        if found.end() == len(text) and not is_line and not found.group().endswith(("。", "！", "？")):
            continue  # a citation may follow
        if _CITATION_AHEAD.match(text, found.end()) and not (
            is_line and not _ALONE_IN_ITS_LINE.match(text, found.end())
        ):
            continue
        if not is_line and _ABBREVIATION.search(text, max(0, found.start() - _BEFORE_NUMBER), found.start() + 1):
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
