"""How answers say that the sources do not contain them, in the languages that Docent speaks.

The patterns are in the language files. Each names who does not know (I, we, the sources, the page) or what is missing
(information, answer, details), with or without a subject: "the app cannot find your lamp" is an answer.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from app.core.text.languages import LANGUAGES, language_table
from app.core.text.letter_forms import in_small_letters, small_letters

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
