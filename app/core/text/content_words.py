"""The most frequent words of a text, without those that every text has."""

from collections import Counter

from app.core.text.words import search_terms

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
    """For a case-folded word."""
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _TELL_NOTHING


def content_words(text: str, count: int) -> list[str]:
    """Up to `count` words, case-folded, most frequent first; compound identifiers are counted whole and in parts."""
    said = Counter(word for word in (term.casefold() for term in search_terms(text)) if is_content_word(word))
    return sorted(said, key=lambda word: (-said[word], word))[:count]
