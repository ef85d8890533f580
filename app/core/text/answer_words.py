"""How models speak of their sources, of the conversation and to themselves, and how answers say that the sources do not
contain them, in the languages that Docent speaks.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal

from app.core.text.languages import LANGUAGES, any_of, language_table
from app.core.text.letter_forms import in_small_letters, small_letters


@cache
def words_of(table: Literal["answers", "reasoning"], key: str) -> tuple[str, ...]:
    """Those of all languages. Of `answers`: `sources` are the words for one, `ands` what joins two numbers,
    `source_lists` what stands over a list of sources, `pointing` how a sentence begins that only tells where something
    stands, `manners` one that tells nothing of the matter. Of `reasoning`: how it `opens`, and of what it `speaks`."""
    return tuple(dict.fromkeys(word for each in sorted(LANGUAGES) for word in language_table(each)[table][key]))


@cache
def begins_with(key: str) -> re.Pattern[str]:
    """Matches a text that begins with one of those words of `answers`, after Markdown's marks. Words of letters alone
    are whole."""
    listed = words_of("answers", key)
    whole = [word for word in listed if word.isascii() and word.isalpha()]
    others = [word for word in listed if word not in whole]
    return re.compile(rf"[\W_]*(?:(?:{any_of(whole)})\b|{any_of(others)})", re.IGNORECASE)


# The patterns of failure are in the language files. Each names who does not know (I, we, the sources, the page) or what
# is missing (information, answer, details), with or without a subject: "the app cannot find your lamp" is an answer.
_LOOKED_AT_CHARS = 240  # an honest refusal comes at the start
_SHORT_CHARS = 320  # of an answer that is looked at to its end


def has_failure_words(answer: str) -> bool:
    """Whether the answer itself says that the sources do not contain it, in any of the languages."""
    read = answer if len(answer) <= _SHORT_CHARS else answer[:_LOOKED_AT_CHARS]
    head = unicodedata.normalize("NFC", read).replace("’", "'")
    small = in_small_letters(head)
    by_words, others = failure_patterns()
    return bool(by_words.search(small) or (not small.isascii() and others.search(small)))


@cache
def failure_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The patterns that begin with a word boundary, which is matched once for all of them, and those for scripts in
    which Python finds no word boundaries, none of which contains ASCII letters."""
    patterns = [pattern for language in sorted(LANGUAGES) for pattern in language_table(language)["failure"]]
    by_words = [pattern.removeprefix(r"\b") for pattern in patterns if pattern.startswith(r"\b")]
    others = [pattern for pattern in patterns if not pattern.startswith(r"\b")]
    return small_letters(rf"\b(?:{_any_of(by_words)})"), small_letters(_any_of(others))


def _any_of(patterns: Iterable[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)
