"""Where the sources have the numbers and names of a sentence, and others in their place."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from app.answers.guard.evidence_places import Place, PlaceIndex
from app.answers.guard.place_words import is_member, is_named, number_words, other_names, stems, union_names
from app.answers.guard.sentence_parts import ReadSentence
from app.core.text.number_kinds import is_time, likeness, number_kinds, ranges_in, units_of
from app.core.text.polarity import denies
from app.core.text.stated_facts import Fact, spellings

_PARTS: Final = re.compile(r"[,;:]\s|\s(?:and|or|but|while|except)\s")
_SAYS_PART: Final = 0.6  # share of a part's words that the sentence has, if it speaks of that part
_SAYS_ANOTHER: Final = 0.8  # for a rival that also has another number of the sentence
# A denied number ("not 5 GHz") is a weaker rival of 2.4 GHz. Without this, the sets of sentences have the same figures,
# but a correct sentence of a real model in tests/answers/test_fact_proof.py is marked.
_DENIED_RIVAL: Final = 0.6
_NAMED_BEFORE: Final = 0.8  # a name in the sentence before counts less than in the place


class FactPlaces(Protocol):
    """Finds the facts of one kind, of one sentence, in the places of an index."""

    def sureness(self, fact: Fact) -> list[float]:
        """For each place how surely it has the fact, in [0, 1]."""
        ...

    def rivals(self, fact: Fact, sureness: Sequence[float]) -> Mapping[int, float]:
        """The rival places by index, each with how surely it has another fact of the same kind, in (0, 1]. `sureness`
        is that of the fact."""
        ...

    def is_in_scope(self, place: Place, fact: Fact) -> bool:
        """Whether the fact is in the section or the cell of the place."""
        ...

    def own_words(self, fact: Fact) -> frozenset[str]:
        """The stems of the fact itself, which say nothing about its subject."""
        ...


class NumberPlaces:
    """Implements `FactPlaces` for numbers."""

    def __init__(self, index: PlaceIndex, sentence: ReadSentence) -> None:
        self._index = index
        self._sentence = sentence

    def sureness(self, number: Fact) -> list[float]:
        spelt = self._sentence.numbers.get(number.text, ())
        words = [part.words for part in self._sentence.clauses if number in part.facts]
        return [
            0.0 if like and any(self._is_of_another_part(place.text, own, spelt) for own in words) else like
            for place, like in ((place, _likest(spelt, place)) for place in self._index.places)
        ]

    def rivals(self, number: Fact, sureness: Sequence[float]) -> Mapping[int, float]:
        """A place with another number is a rival as far as it counts the same kind of thing."""
        kinds, found = self._kinds(number), dict[int, float]()
        for at, place in enumerate(self._index.places):
            if place.numbers and not sureness[at] and not place.is_heading:
                like = self._other_number(kinds, place.numbers)
                if like:
                    found[at] = like * (_DENIED_RIVAL if denies(place.text) else 1)
        return found

    def is_in_scope(self, place: Place, number: Fact) -> bool:
        return any(spelling in place.numbers_in_scope for spelling, _ in self._sentence.numbers.get(number.text, ()))

    def own_words(self, number: Fact) -> frozenset[str]:
        """The number's unit is not compared either, because places may write it differently, as €."""
        units = " ".join(units_of(kind) for kind in self._kinds(number) if not is_time(kind))
        return stems(f"{number.text} {units}") | number_words(spellings(number.text))

    def is_outdone(self, number: Fact, sureness: Sequence[float], rivals: Mapping[int, float]) -> bool:
        """Whether every place with the number has a rival that shares the same words with the sentence, and more: "6
        seconds", where the words for restarting too stand with another number. Only for sentences of one clause."""
        if len(self._sentence.parts) > 1 or "" in self._kinds(number):
            return False
        words, places = stems(self._sentence.text), self._index.places
        having = [places[at].shared(words) for at, has in enumerate(sureness) if has]
        others = [places[at].shared(words) for at, like in rivals.items() if like == 1]
        return bool(having) and all(any(own < other for other in others) for own in having)

    def is_of_another_range(self, number: Fact) -> bool:
        """Whether a source's range shares one end with the sentence's ("1 to 6", "1 to 12"), and none shares both."""
        stated = [ends for ends in ranges_in(self._sentence.text) if number.text in ends]
        ranges = [ends for place in self._index.places for ends in ranges_in(place.text)] if stated else []
        return any(_shares_one_end(own, ranges) for own in stated)

    def _kinds(self, number: Fact) -> set[str]:
        """The kinds of what the number counts."""
        return {kind for _, kind in self._sentence.numbers.get(number.text, ())}

    def _is_of_another_part(self, text: str, words: frozenset[str], spelt: Collection[tuple[str, str]]) -> bool:
        """Whether the number is in one part of the text while the words speak of another part, with a number of the
        same kind: in "3 years, battery packs 1 year", the 3 does not belong to battery packs. Words of the first part
        count for the later ones too."""
        spellings, kinds = {spelling for spelling, _ in spelt}, {kind for _, kind in spelt}
        parts = _PARTS.split(text)
        if len(parts) == 1:
            return False
        own, own_later = frozenset[str](), frozenset[str]()  # words of parts with the number; without the first part
        others: list[frozenset[str]] = []
        for at, part in enumerate(parts):
            numbers, has = number_kinds(part), frozenset(word for word in stems(part) if not word.isdigit())
            if not spellings.isdisjoint(numbers):
                own |= has
                own_later |= has if at else frozenset()
            elif self._sentence.spelt.isdisjoint(numbers) and any(
                likeness(kind, other) for others_kinds in numbers.values() for other in others_kinds for kind in kinds
            ):
                others.append(has)
        return any(
            other & words - own and not own_later & words - other and len(other & words) >= _SAYS_PART * len(other)
            for other in others
        )

    def _other_number(self, kinds: Collection[str], numbers: Mapping[str, set[str]]) -> float:
        """How similar the kind of a number that the sentence does not have is to `kinds`, in [0, 1]."""
        others = [has for number, has in numbers.items() if number not in self._sentence.spelt]
        like = max((likeness(kind, other) for has in others for other in has for kind in kinds), default=0.0)
        return like * (_SAYS_ANOTHER if self._sentence.spelt & numbers.keys() else 1)


def _likest(spelt: Collection[tuple[str, str]], place: Place) -> float:
    """How similar the place's use of the number is, in [0, 1]; `spelt` are its spellings and kinds in the sentence."""
    return max(
        (likeness(kind, has) for spelling, kind in spelt for has in place.numbers.get(spelling, ())), default=0.0
    )


def _shares_one_end(stated: Sequence[str], ranges: Collection[Sequence[str]]) -> bool:
    shared = [[bool(spellings(end) & spellings(own)) for own, end in zip(stated, ends, strict=True)] for ends in ranges]
    return any(map(any, shared)) and not any(map(all, shared))


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
