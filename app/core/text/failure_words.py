"""How answers say that the sources do not hold them, in the languages that we speak ourselves.

The patterns stand with the languages. Each names the one who does not know (I, we, the sources, the page) or what is
missing (information, answer, details): "the app cannot find your lamp" is an answer.
"""

import re
import unicodedata
from functools import cache

from app.core.text.languages import LANGUAGES, language_table

_LOOKED_AT_CHARS = 240  # an honest refusal says so at the start


def has_failure_words(answer: str) -> bool:
    """Whether the answer itself says that the sources do not hold it, in whatever language."""
    head = unicodedata.normalize("NFC", answer[:_LOOKED_AT_CHARS]).replace("’", "'")
    return bool(failure_pattern().search(head))


@cache
def failure_pattern() -> re.Pattern[str]:
    patterns = [pattern for language in sorted(LANGUAGES) for pattern in language_table(language)["failure"]]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
