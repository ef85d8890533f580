"""The languages that Docent speaks, one file `<language>.toml` each, with what it says and understands.

`words` has the product's own sentences; `language_names` what languages are called in it (CLDR); `small_talk` what
visitors say that is no question, and the replies; `follow_up` the words that mark a question as depending on the one
before it, and, in English, those with which a sentence opens that does; `questions` the words with which questions
`begin`, and those of them that `may_tell` ("When it rains, does it ...?"); `comparison` regular expressions for a
question that compares: `forms` with each {name}, what `ends` them, and `articles` before a name; `details` those for
what pages need not name, how it is asked for and what `until` is between two times, and the terms of pages with contact
details and addresses; `failure` regular expressions for an answer that admits not knowing; `handoff` those for the wish
for a `person`, over folded words: what may come `before` it, the `wishes`, and what may come `after` one; `answers` how
models speak of their sources (`answer_words.py`); `polarity` the words that deny, and, in English, those that limit or
say the contrary (`polarity.py`); `clauses` the words that join clauses and those that open one; `units` what numbers
count, by kind (`number_kinds.py`); `reports` parts of the addresses of news, posts and job advertisements; `reasoning`
how a model that thinks aloud `opens`, and of what it `speaks`. The widget speaks the same languages
(`widget/src/words`).
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any, Final

# BCP 47 primary subtags.
LANGUAGES: Final = frozenset("ar de el en es fa fr he hi it ja nl pl pt ro ru th tr ur vi zh".split())  # noqa: SIM905


# Words of these scripts stand together, or take their article in front, or their case behind them.
_UNSPACED: Final = frozenset({"ja", "th", "zh"})
_INFLECTED: Final = frozenset({"ar", "fa", "he", "hi", "ur"})
_ARTICLES: Final = "[وبل]?(?:ال)?|[הובלמש]{1,2}"


def any_of(phrases: Iterable[str]) -> str:
    """A regular expression that matches any of them, preferring the longest."""
    return "|".join(re.escape(phrase) for phrase in sorted(filter(None, phrases), key=len, reverse=True))


@cache
def language_table(language: str) -> dict[str, Any]:
    """The content of the file of one of LANGUAGES."""
    return tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))


@cache
def in_any_language(table: str, name: str) -> str:
    """A regular expression that matches the words that the files of all languages have under that name, whatever their
    case."""
    spaced, inflected, unspaced = (
        "|".join(filter(None, (language_table(language)[table][name] for language in sorted(languages))))
        for languages in (LANGUAGES - _UNSPACED - _INFLECTED, _INFLECTED, _UNSPACED)
    )
    return rf"(?i:\b(?:{spaced})\b|\b(?:{_ARTICLES})?(?:{inflected})|{unspaced})"
