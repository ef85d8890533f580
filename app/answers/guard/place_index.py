"""The places of some sections, and how many of a part's words each has, weighted by their rarity."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from app.answers.guard.evidence_places import Place, Section
from app.answers.guard.place_words import stems

_CONTEXT_WEIGHT: Final = 0.5  # weight of the words around a place: heading, sentence before, head of the table
_LIKE_CHARS: Final = 4


class PlaceIndex:
    """`only_denied` are stems that the sections never have but as what is not so; `names` are words that the sections
    write with a capital letter only; `labels` are the stems of these, of the heads of tables, and of what is
    emphasised."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.places = [place for section in sections for place in section.places]
        self.names = frozenset[str]().union(*(section.names for section in sections))
        self.labels = frozenset[str]().union(*(section.labels for section in sections))
        said = frozenset[str]().union(*(place.words - place.never for place in self.places))
        self.only_denied = frozenset[str]().union(*(place.never for place in self.places)) - said
        seen: Counter[str] = Counter()
        for section in sections:
            seen.update(section.seen)
        self._weights = {word: math.log(1 + len(self.places) / count) for word, count in seen.items()}
        self._rarest = math.log(1 + len(self.places))
        self._found: dict[str, list[tuple[int, float]]] = {}

    def weight(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._rarest) for word in words)

    def known_weight(self, words: Iterable[str]) -> float:
        """Of the words that the places have."""
        return sum(self._weights.get(word, 0.0) for word in words)

    def covers(self, words: Iterable[str]) -> list[float]:
        """For each place the weight of the words that it has."""
        covers = [0.0] * len(self.places)
        for word in words:
            weight = self._weights.get(word, 0.0)
            for place, share in self._having(word):
                covers[place] += weight * share
        return covers

    def shares(self, words: Iterable[str]) -> list[float]:
        """For each place the share of the words that it has, in [0, 1]."""
        words = list(words)
        whole = self.weight(words)
        return [cover / whole for cover in self.covers(words)] if whole else [1.0] * len(self.places)

    def by_cover(self, words: Iterable[str]) -> list[Place]:
        """All places, best first."""
        covers = self.covers(words)
        return [self.places[number] for number in sorted(range(len(covers)), key=lambda number: -covers[number])]

    def knows(self, words: Iterable[str]) -> float:
        """The share of the words that any place has, in [0, 1]."""
        words = list(words)
        return sum(word in self._weights for word in words) / len(words) if words else 1.0

    def has_word(self, stem: str) -> bool:
        return stem in self._weights

    def has_phrase(self, phrase: str) -> bool:
        return any(phrase in place.text for place in self.places)

    def is_word(self, word: str) -> bool:
        """Whether a place has the word, or one that begins like it."""
        own = stems(word)
        if any(own <= place.words for place in self.places):
            return True
        return any(known.startswith(word.casefold()[:_LIKE_CHARS]) for known in self._weights)

    def _having(self, word: str) -> list[tuple[int, float]]:
        found = self._found.get(word)
        if found is None:
            found = self._found[word] = [
                (number, 1.0 if word in place.words else _CONTEXT_WEIGHT)
                for number, place in enumerate(self.places)
                if word in place.words or word in place.words_around
            ]
        return found
