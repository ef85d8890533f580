"""Significant words: the most frequent ones of a text; and a question without its stop words: "Wie erstelle ich einen
Serienbrief?" becomes "erstelle Serienbrief?".
"""

from collections import Counter
from functools import cache

from app.core.text.languages import LANGUAGES, language_table
from app.core.text.words import folded_words, search_terms, word_spans

_SHORTEST = 3

# English words of three letters and more that say nothing about the subject of a text.
_TELL_NOTHING = frozenset(
    """
    about above additionally after again against all also alternatively although always among and another any are
    around because been before being below between both but can cannot could currently did does doing done down
    during each either else even ever every few first following for from further get given got had has have having
    her here hers him his how however including into its itself just less let like made make many may might more
    most much must near need never new next nor not now off often once one only other our out over own per please
    rather same see several she should since some such than that the their them then there these they this those
    through thus too two under unfortunately until upon use used uses using very via aren couldn didn doesn don hadn
    hasn haven isn shouldn wasn weren wouldn was way well were what when where whether which while who whom whose
    why will with within without would yes yet you your
    """.split()  # noqa: SIM905 - reads better than a list
)


def is_content_word(word: str) -> bool:
    """Whether a case-folded word is significant."""
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _TELL_NOTHING


def content_words(text: str, count: int) -> list[str]:
    """Up to `count` words, case-folded, most frequent first; compound identifiers are counted whole and in parts."""
    counts = Counter(word for word in (term.casefold() for term in search_terms(text)) if is_content_word(word))
    return sorted(counts, key=lambda word: (-counts[word], word))[:count]


# A keyword index ignores the stop words of its own language only. Those of a question in another language are rare in
# the index, and would outweigh the question's subject.
_ENGLISH = "en"  # every keyword index ignores English stop words


def without_stop_words(question: str, language: str | None) -> str:
    """The question without the stop words of its `language` (BCP 47 primary subtag). It is unchanged if nothing would
    be left, in English, in languages that Docent does not speak, and in those without spaces between words."""
    light = _stop_words(language) if language else frozenset[str]()
    kept = [word for word in question.split() if not light.issuperset(folded_words(word))]
    return " ".join(kept) if light and any(map(folded_words, kept)) else question


def naming_spans(question: str, language: str | None) -> list[tuple[int, int]]:
    """The positions (start, end) of the question's significant words, in order. In a language that Docent does not
    speak, only English stop words are left out."""
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
