"""Compounds: names and numbers that are written joined or in parts, such as wifi and wi-fi, ABX9921K and ABX-9921-K,
1299 and 1,299.00."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.text.words import is_paired, script_runs, word_spans

_JOINTS: Final = frozenset("-\u2010\u05be\u200c.")  # hyphens, also the Hebrew one, the Persian non-joiner, full stop
_MOST_PARTS: Final = 6
_MOST_CHARS: Final = 40
_CAPITALS: Final = 4  # longest part without digits of a code with spaces: "ABX 9921 K"
_LEAST_DIGITS: Final = 5  # below that, "10-15" are two numbers
_CODE_DIGITS: Final = 3
_ARTICLE_DIGITS: Final = 9  # fewest digits of a designation without letters: amounts and dates have fewer
_CODE_PARTS: Final = 3  # letters, digits, letters: "E42" and "30-day" have two
_THOUSANDS: Final = re.compile(
    r"(?<![\d.,'’])\d{1,3}(?:([.,'’])\d{3}(?:\1\d{3})*|(?: \d{3}){2,})(?:[.,]\d{2})?(?![\d'’]|[.,]\d)"
)
_NO_CENTS: Final = re.compile(r"(?<![\d.,])(\d+)[.,]00(?!\d|[.,]\d)")
# Words with digits or joints, including parts of a code that are separated by spaces. Marks belong to their words.
_LETTER: Final = r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u06ed\u0900-\u0dff]"
_CANDIDATES: Final = re.compile(
    rf"(?<!{_LETTER})(?:{_LETTER}++(?:(?:[-\u2010\u05be\u200c.]|(?<=[A-Z\d]) (?=[A-Z\d])){_LETTER}++)++"
    rf"|(?:(?!\d){_LETTER})*+\d{_LETTER}*+)"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?: \d{3})+")
_BOUND: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Compound:
    """A compound, as the words in which the text writes it. `is_spaced`: with spaces between them."""

    words: tuple[str, ...]
    is_spaced: bool = False

    @property
    def joined(self) -> str:
        return "".join(self.words)

    @property
    def parts(self) -> tuple[str, ...]:
        """The words, cut between letters and digits."""
        parts = tuple(part for word in self.words for part in _BOUND.split(word))
        return parts if len(parts) <= _MOST_PARTS else self.words

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Shorter names of the same thing: ABX9921 of ABX-9921-K."""
        return tuple(itertools.accumulate(self.words))[1:-1]

    @property
    def is_code(self) -> bool:
        """Whether a match of single parts proves nothing, because similar designations share them."""
        return self.is_designation and len(self.parts) >= _CODE_PARTS

    @property
    def is_designation(self) -> bool:
        """Whether it looks like a part number or an error code: one of many similar names."""
        digits = sum(map(str.isdigit, self.joined))
        if self.joined.isdigit():
            return len(self.words) == 1 and digits >= _ARTICLE_DIGITS
        is_numbered = digits >= _CODE_DIGITS or digits == len(self.parts) == 2  # or "F30": letters and two digits
        return is_numbered and not self.is_spaced and not self.joined[0].isdigit()


def cut_anyhow(name: str) -> str:
    """A regular expression for a name. If it has digits, a separator may be between any two characters."""
    if not _has_digit(name):
        return re.escape(name)
    return r"[-\u2010. ]?".join(filter(str.isalnum, name))


def is_spelt_in(text: str, name: str) -> bool:
    """Whether the text contains the name in any spelling of `cut_anyhow`; both are case-folded."""
    return name in text or re.search(rf"(?<!\w){cut_anyhow(name)}(?!\w)", text) is not None


def with_plain_numbers(text: str) -> str:
    """The text with each number as its digits alone: 1299 for 1,299.00, 0986494123 for 0 986 494 123."""
    return _NO_CENTS.sub(r"\1", _THOUSANDS.sub(_without_separators, text))


def compounds(text: str) -> Iterator["str | Compound"]:
    """The text in order: compounds as `Compound`, the rest as strings."""
    end = 0
    for found in _CANDIDATES.finditer(text):
        yield text[end : found.start()]
        yield from _compounds_in(found[0])
        end = found.end()
    yield text[end:]


def _compounds_in(text: str) -> Iterator["str | Compound"]:
    words: list[str] = []
    gaps: list[str] = []
    end = 0
    for start, stop in word_spans(text):
        gap = text[end:start]
        for run in script_runs(text[start:stop]):
            if words and _goes_on(words, gaps, gap, run):
                gaps.append(gap)
            else:
                yield from _of(words, gaps)
                words, gaps = [], []
            words.append(run)
            gap = ""
        end = stop
    yield from _of(words, gaps)


def _goes_on(words: Sequence[str], gaps: Sequence[str], gap: str, word: str) -> bool:
    if len(words) == _MOST_PARTS:
        return False
    last = words[-1]
    if is_paired(last) or is_paired(word):
        return False
    if last.isdigit() and word.isdigit():
        return (gap == " " or gap in _JOINTS) and set(gaps) <= {gap}
    if gap == " ":
        return _has_digit(last) != _has_digit(word) and _is_of_code(last) and _is_of_code(word)
    return gap in _JOINTS


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _is_of_code(word: str) -> bool:
    return _has_digit(word) or (word.isupper() and len(word) <= _CAPITALS)


def _of(words: Sequence[str], gaps: Sequence[str]) -> Iterator["str | Compound"]:
    joined = "".join(words)
    is_one = not joined.isdigit() or not gaps or len(joined) >= _LEAST_DIGITS or _GROUPED.fullmatch(" ".join(words))
    compound = Compound(tuple(words), " " in gaps)
    if is_one and len(joined) <= _MOST_CHARS and (len(compound.parts) > 1 or joined.isdigit()):
        yield compound
    else:
        yield from words


def _without_separators(found: re.Match[str]) -> str:
    number, cents = found[0], ""
    if number[-3] in ".,":
        number, cents = number[:-3], number[-3:]
    return re.sub(r"\D", "", number) + cents
