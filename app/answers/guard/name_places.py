"""Where the sources have the names of a sentence, and other names in their place."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.answers.guard.evidence_places import Place, PlaceIndex
from app.answers.guard.place_words import is_member, is_named, number_words, other_names, stems, union_names
from app.answers.guard.sentence_parts import ReadSentence
from app.core.text.stated_facts import Fact, spellings

_NAMED_BEFORE: Final = 0.8  # a name in the sentence before counts less than in the place


class NamePlaces:
    """Implements `FactPlaces` for names. Those in the headings, the row and the sentence before are the place's own."""

    def __init__(self, index: PlaceIndex, sentence: ReadSentence) -> None:
        self._index = index
        self._sentence = sentence

    def sureness(self, name: Fact) -> list[float]:
        found = [_names(place, name.text) for place in self._index.places]
        return found if any(found) else [float(self._is_called(name, place.folded)) for place in self._index.places]

    def rivals(self, name: Fact, sureness: Sequence[float]) -> Mapping[int, float]:
        """A place with a name that the sentence does not have, nor the headings above the places with its own."""
        having = [place.in_heading for place, has in zip(self._index.places, sureness, strict=True) if has]
        shared = self._sentence.words.union(*having)
        return {
            at: 1.0
            for at, place in enumerate(self._index.places)
            if not place.is_heading
            and not sureness[at]
            and self._index.labels & (place.capitalised - self._sentence.words | place.in_heading - shared)
        }

    def is_in_scope(self, place: Place, name: Fact) -> bool:
        return self._is_called(name, place.scope)

    def own_words(self, name: Fact) -> frozenset[str]:
        return stems(name.text) | number_words(spellings(name.text))

    def _is_called(self, name: Fact, text: str) -> bool:
        """Whether the case-folded text has the name or another one for the same. That of a union counts only if the
        sentence names one too, or has a number that must fit."""
        folded = name.text.casefold()
        others = other_names(folded)
        if is_member(folded) and not self._sentence.numbers and not others & _unions_in(self._sentence.text):
            others = frozenset()
        return any(is_named(other, text) for other in (folded, *others))


def _unions_in(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(name for name in union_names() if is_named(name, folded))


def _names(place: Place, name: str) -> float:
    pieces = name.split()  # "Breeze M and L" has Breeze L
    if pieces and all(is_named(piece, place.text) or is_named(piece, place.around) for piece in pieces):
        return 1.0
    return _NAMED_BEFORE if is_named(name, place.before) else 0.0
