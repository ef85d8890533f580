"""Removes the words of a question that name nothing: "Wie erstelle ich einen Serienbrief?" becomes "erstelle
Serienbrief?".

A keyword index is stemmed for one language and knows its stop words. The stop words of a question in another language
are rare in manuals, because pages seldom say "I", and would weigh more than its subject.
"""

from functools import cache

from app.core.text.languages import LANGUAGES, language_table
from app.core.text.words import folded_words, word_spans

_ENGLISH = "en"  # every analysis knows its stop words


def without_stop_words(question: str, language: str | None) -> str:
    """`language` is the question's own (BCP 47 primary subtag). Returns the question unchanged if nothing else would be
    left, in English, in languages that Docent does not speak, and in those without spaces between words."""
    light = _stop_words(language) if language else frozenset[str]()
    told = [word for word in question.split() if not light.issuperset(folded_words(word))]
    return " ".join(told) if light and any(map(folded_words, told)) else question


def naming_spans(question: str, language: str | None) -> list[tuple[int, int]]:
    """Where the question's words are that name something, in order. In a language that Docent does not speak, English
    stop words are left out."""
    light = _light_words(language if language in LANGUAGES else _ENGLISH)
    return [span for span in word_spans(question) if not light.issuperset(folded_words(question[slice(*span)]))]


def _stop_words(language: str) -> frozenset[str]:
    return frozenset() if language == _ENGLISH or language not in LANGUAGES else _light_words(language)


@cache
def _light_words(language: str) -> frozenset[str]:
    listed = language_table(language)["follow_up"]
    return frozenset(
        word for key in ("light", "joins", "opens") for each in listed.get(key, ()) for word in folded_words(each)
    )
