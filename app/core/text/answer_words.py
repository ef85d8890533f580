"""How answers name their sources by [n] marks and in words, how models speak of the conversation and to themselves, and
how answers say that the sources do not contain them, in the languages that Docent speaks.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

from app.core.text.languages import LANGUAGES, any_of, language_table
from app.core.text.letter_forms import in_small_letters, small_letters

MARK: Final = re.compile(r"\[(\d{1,3})\](?!\()")  # a link may have a number as its label
_MARK_AND_BLANKS: Final = re.compile(rf"(?:(?<![ \t])[ \t]++)?{MARK.pattern}")


def marked_numbers(text: str) -> list[int]:
    """The numbers of the marks, in order."""
    return [int(number) for number in MARK.findall(text)]


def without_citations(text: str) -> str:
    """The text without its marks and the blanks before them."""
    return _MARK_AND_BLANKS.sub("", text)


@cache
def words_of(table: Literal["answers", "reasoning"], key: str) -> tuple[str, ...]:
    """The words of all languages under a key of a table. `answers`: `sources` (words for "source"), `ands` (between two
    numbers), `source_lists` (titles of lists of sources), `pointing` (beginnings of sentences that only say where
    something is written), `manners` (beginnings of sentences without content). `reasoning`: `opens` (beginnings) and
    `speaks` (subjects) of a model's thoughts."""
    return tuple(dict.fromkeys(word for each in sorted(LANGUAGES) for word in language_table(each)[table][key]))


@cache
def begins_with(key: str) -> re.Pattern[str]:
    """Matches a text that begins, after Markdown's marks, with one of the words of `answers` under `key`. ASCII words
    only match whole words."""
    listed = words_of("answers", key)
    whole = [word for word in listed if word.isascii() and word.isalpha()]
    others = [word for word in listed if word not in whole]
    return re.compile(rf"[\W_]*(?:(?:{any_of(whole)})\b|{any_of(others)})", re.IGNORECASE)


# The `failure` patterns of the language files name who does not know (I, we, the sources, the page) or what is missing
# (information, answer, details), because "the app cannot find your lamp" is an answer.
_LOOKED_AT_CHARS = 240  # of a long answer: an honest refusal comes at the start
_SHORT_CHARS = 320  # up to this length, the whole answer is searched


def has_failure_words(answer: str) -> bool:
    """Whether the answer itself says that the sources do not contain it, in any of the languages."""
    read = answer if len(answer) <= _SHORT_CHARS else answer[:_LOOKED_AT_CHARS]
    head = unicodedata.normalize("NFC", read).replace("’", "'")
    small = in_small_letters(head)
    by_words, others = failure_patterns()
    return bool(by_words.search(small) or (not small.isascii() and others.search(small)))


@cache
def failure_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """(patterns that begin with a word boundary, patterns for scripts in which Python finds none), each joined into
    one. The second contains no ASCII letters."""
    patterns = [pattern for language in sorted(LANGUAGES) for pattern in language_table(language)["failure"]]
    by_words = [pattern.removeprefix(r"\b") for pattern in patterns if pattern.startswith(r"\b")]
    others = [pattern for pattern in patterns if not pattern.startswith(r"\b")]
    return small_letters(rf"\b(?:{_any_of(by_words)})"), small_letters(_any_of(others))


def _any_of(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)
