"""The facts of a sentence that can be looked up literally: numbers, dates, prices, versions, names and code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final
from unicodedata import decimal

from app.core.text.answer_words import without_citations

_REMEMBERED: Final = 2048  # numbers
_REMEMBERED_CHARS: Final = 20
_CODE: Final = re.compile(r"(?<!`)`++([^`\n]++)`++")
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*\w")  # of a command; models also write it without backticks
# Two labels of a menu beside each other, as in "**Settings** > **Hub**".
_LABEL: Final = r"([^\W\d_](?:[^\W_]|['’-])*+)"
_MENU_STEP: Final = re.compile(rf"(?<![^\W_])(?<!['’-]){_LABEL}[*_]*+[ \t]*+[>›→][ \t]*+[*_]*+(?={_LABEL})")
_LINK: Final = re.compile(r"\]\((?:[^()\s]|\([^()\s]*+\))*+\)|https?://\S+")
_MARKUP: Final = re.compile(r"[*_#>|]+")
# Of a list in an answer; a longer number, such as a year, begins a sentence.
ANSWER_ITEM_SIGN: Final = r"(?:[-*+]|\d{1,3}[.)])"
ITEM: Final = re.compile(rf"^\s*{ANSWER_ITEM_SIGN}\s+")
# Letters of scripts without blanks between words, which may be right beside a number.
_UNSPACED: Final = "\u0e00-\u0eff\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f"
_NUMBER: Final = re.compile(rf"(?<![^\W_{_UNSPACED}])(?<![^\W{_UNSPACED}][-.])\d+(?:[.,:/]\d+)*")
# Letters and digits together, such as E42, NB-W1 or v2.9; "5-year" and "20mm" are numbers with a unit.
_IDENTIFIER: Final = re.compile(
    rf"(?<![^\W{_UNSPACED}])(?=[\w.-]{{0,80}}\d)(?=[^\s{_UNSPACED}]{{0,80}}\d)[^\W\d{_UNSPACED}][^\W{_UNSPACED}]*"
    rf"(?:[-.][^\W{_UNSPACED}]+)*"
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_VERB_AHEAD: Final = re.compile(
    r"\s+(?:[a-z]+[a-rt-z]s\b|and\b|or\b|was\b|were\b|are\b|can\b|will\b|must\b|had\b|have\b)"
)
_OTHER_DIGIT: Final = re.compile(r"(?![0-9])\d|[\u066b\u066c\uff0e]")
_SEPARATORS: Final = {"\u066b": ".", "\u066c": ",", "\uff0e": "."}
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")
_DECIMAL_COMMA: Final = re.compile(r"\d+,\d{1,2}")

_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2
    )
} | {"twice": "2", "sixteen": "16", "twenty": "20", "thirty": "30", "fifty": "50"}

# Words that a source may use for a number. In an answer, they are too common to be looked up.
_MORE_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"], start=13
    )
} | {
    "one": "1",
    "once": "1",
    "single": "1",
    "double": "2",
    "forty": "40",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
}
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_COMPOUND: Final = {
    f"{ten}-{unit}": str(10 * tens + number)
    for tens, ten in enumerate(_TENS, start=2)
    for number, unit in enumerate(_UNITS, start=1)
}
_EVERY_NUMBER_WORD: Final = _MORE_NUMBER_WORDS | _NUMBER_WORDS | _COMPOUND
# Also matches "three" in "three-hour".
_SPELT_OUT: Final = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(sorted(_EVERY_NUMBER_WORD, key=len, reverse=True))})(?![^\W\d_])", re.IGNORECASE
)

# Always written with a capital letter, but no names.
_NO_NAMES: Final = frozenset({"i", "i'm", "i’m", "i'd", "i'll", "i've", "ok", "faq", "pm", "am"})
# In these languages every noun has a capital letter.
CAPITALISE_NOUNS: Final = frozenset({"de", "lb"})
# Words that open sentences and are no names.
_OPENERS: Final = frozenset(
    """
    a above according add after all also although an and any are as at be because before below both but by can
    check choose click contact do does during each either enter every first for from go has have he here hold
    how however if in it its just keep make many more most much neither no none not note now of on once one only
    open or orders our out over past per please press readings report reports select send set several she since
    so some stations such that the their them then there these they this those through to until up use users
    using very was we were what when where whether which while who why with within without yes yet you your
    """.split()  # noqa: SIM905 - reads better than a list
)


class FactKind(StrEnum):
    NUMBER = "number"
    NAME = "name"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Fact:
    """`is_opening` marks a capitalised first word of a sentence, which may not be a name."""

    kind: FactKind
    text: str
    is_opening: bool = False


def facts_of(sentence: str, language: str | None = "en") -> list[Fact]:
    """The facts of the sentence, without duplicates. Names are words with a capital letter, which in languages that
    capitalise nouns must be an inner one."""
    facts = [Fact(FactKind.CODE, " ".join(found[1].split())) for found in _CODE.finditer(sentence)]
    text = in_ascii_digits(plain(sentence))
    facts += [Fact(FactKind.CODE, found) for found in _OPTION.findall(text)]
    facts += [Fact(FactKind.NAME, found.group()) for found in _IDENTIFIER.finditer(text)]
    text = _IDENTIFIER.sub(lambda found: " " * len(found.group()), text)
    facts += [Fact(FactKind.NUMBER, found.group()) for found in _NUMBER.finditer(text)]
    for found in _WORD.finditer(text):
        word = found.group()
        if word.casefold() in _NUMBER_WORDS or word.casefold() in _COMPOUND:
            facts.append(Fact(FactKind.NUMBER, word.casefold()))
        elif _is_name(text, found, language):
            is_opening = _opens_sentence(text[: found.start()]) and word[1:].islower()
            facts.append(Fact(FactKind.NAME, word, is_opening))
    return list(dict.fromkeys(facts))


def in_ascii_digits(text: str) -> str:
    """The text, of the same length, with the digits and separators of other scripts as 0 to 9, "." and ","."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda found: _SEPARATORS.get(found.group()) or str(decimal(found.group())), text)


def plain(sentence: str) -> str:
    """The text without code, links, citations and Markdown syntax."""
    text = ITEM.sub("", without_citations(sentence))
    return _MARKUP.sub(" ", _LINK.sub(" ", _CODE.sub(" ", text)))


def spellings(number: str) -> frozenset[str]:
    """The spellings that a number may have, so that 1,500 matches 1500, and 3,90 or 3.9 match 3.90."""
    return _known_spellings(number) if len(number) <= _REMEMBERED_CHARS else _spellings(number)


def _spellings(number: str) -> frozenset[str]:
    number = _EVERY_NUMBER_WORD.get(number, number)
    meant = {number}
    if _THOUSANDS.fullmatch(number):
        meant.add(number.replace(",", "").replace(".", ""))
    if _DECIMAL_COMMA.fullmatch(number):
        meant.add(number.replace(",", "."))
    meant |= {each.rstrip("0").rstrip(".") for each in meant if re.fullmatch(r"\d+\.\d+", each)}
    return frozenset(each.lstrip("0") or "0" for each in meant)


_known_spellings = lru_cache(_REMEMBERED)(_spellings)


def menu_steps(sentence: str) -> list[tuple[str, str]]:
    """For each step of a menu path, the last word before it and its first word: ("Settings", "Hub"), ("Hub", "Local")
    of "Settings > Hub > Local access"."""
    return _MENU_STEP.findall(_CODE.sub(" ", sentence))


def identifiers_in(text: str) -> list[str]:
    """The text's identifiers, such as E42, NB-W1 or v2.9."""
    return _IDENTIFIER.findall(text)


def stated_numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """(number, start, end) of every number, in digits or as a word, except numbers within identifiers."""
    text = in_ascii_digits(text)
    text = _IDENTIFIER.sub(lambda found: " " * len(found.group()), text)
    for found in _NUMBER.finditer(text):
        yield found.group(), *found.span()
    for found in _SPELT_OUT.finditer(text):
        yield found.group().casefold(), *found.span()


def every_spelling(number: str) -> frozenset[str]:
    """The spellings of a number and of its parts, because "14/7" and "10:20" state each part too."""
    if number.isalnum():
        return spellings(number)
    return spellings(number).union(*map(spellings, re.split(r"[:/]", number)))


def numbers_in(text: str) -> frozenset[str]:
    """Every spelling of every number of a text, except numbers within identifiers."""
    return frozenset(spelling for number, _, _ in stated_numbers(text) for spelling in every_spelling(number))


def _is_name(text: str, found: re.Match[str], language: str | None) -> bool:
    word = found.group()
    if word.casefold() in _NO_NAMES or len(word) < 2:
        return False
    if any(character.isupper() for character in word[1:]):
        return True
    if not word[0].isupper() or language in CAPITALISE_NOUNS:
        return False
    if not _opens_sentence(text[: found.start()]):
        return True
    return word.casefold() not in _OPENERS and bool(_VERB_AHEAD.match(text, found.end()))


def _opens_sentence(before: str) -> bool:
    """Whether a sentence, a line or a quotation begins after the text `before`."""
    stripped = before.rstrip()
    blanks = before[len(stripped) :]
    return not stripped or "\n" in blanks or stripped[-1] in '"“„«' or (bool(blanks) and stripped[-1] in ".!?:;…")
