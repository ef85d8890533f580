"""How models speak of their sources, of the conversation and to themselves, in the languages that Docent speaks."""

import re
from functools import cache
from typing import Literal

from app.core.text.languages import LANGUAGES, any_of, language_table


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
