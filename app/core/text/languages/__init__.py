"""The languages that Docent speaks. Each has a file `<language>.toml` with these keys:

    words            the product's own sentences (`canned_messages.py`)
    language_names   names of languages in this language (CLDR)
    small_talk       what visitors say that is no question, with replies
    follow_up        words of questions that depend on the one before; in English also openings of such sentences
    questions        words that `begin` questions, some of which `may_tell` instead ("When it rains, does it ...?")
    comparison       regular expressions for comparing questions: `forms` with {name}, their `ends`, and `articles`
    details          regular expressions that ask for details (`requested_details.py`), and terms for contact pages
    failure          regular expressions for an answer that admits not knowing (`answer_words.py`)
    handoff          regular expressions over folded words for the wish for a `person`: `before`, `wishes`, `after`
    answers          how models speak of their sources (`answer_words.py`)
    reasoning        how the thoughts of a model begin, and what they are about (`answer_words.py`)
    polarity         words that deny; in English also those that limit or contradict (`polarity.py`)
    clauses          words that join clauses, and words that open one
    units            what numbers count, by kind (`number_kinds.py`)
    reports          parts of the addresses of news, posts and job advertisements
    abbreviations    words whose full stop ends no sentence; `counted`: what a number with a full stop may count

The widget speaks the same languages (`widget/src/words`).
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any, Final

# BCP 47 primary subtags.
LANGUAGES: Final = frozenset("ar de el en es fa fr he hi it ja nl pl pt ro ru th tr ur vi zh".split())  # noqa: SIM905


# Languages without spaces between words, and those whose words take an article in front or case endings.
_UNSPACED: Final = frozenset({"ja", "th", "zh"})
_INFLECTED: Final = frozenset({"ar", "fa", "he", "hi", "ur"})
_ARTICLES: Final = "[وبل]?(?:ال)?|[הובלמש]{1,2}"


def any_of(phrases: Iterable[str]) -> str:
    """A regular expression that matches any of the phrases, preferring the longest."""
    return "|".join(re.escape(phrase) for phrase in sorted(filter(None, phrases), key=len, reverse=True))


@cache
def language_table(language: str) -> dict[str, Any]:
    """The content of the file of one of LANGUAGES."""
    return tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))


@cache
def in_any_language(table: str, name: str) -> str:
    """A regular expression for the words under `name` in `table` of all languages' files; it ignores case."""
    spaced, inflected, unspaced = (
        "|".join(filter(None, (language_table(language)[table][name] for language in sorted(languages))))
        for languages in (LANGUAGES - _UNSPACED - _INFLECTED, _INFLECTED, _UNSPACED)
    )
    return rf"(?i:\b(?:{spaced})\b|\b(?:{_ARTICLES})?(?:{inflected})|{unspaced})"
