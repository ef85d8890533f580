"""Checks whether the sources have a fact in a place that is about the same subject as the sentence.

The place that has the fact must match the sentence nearly as well as its best *rival*: a place that has another number
of the same kind, or another name. Names in the headings, the row and the sentence before count as the place's own.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from app.answers.guard.evidence_places import Place, PlaceIndex
from app.answers.guard.place_words import is_member, is_named, number_words, other_names, stems, union_names
from app.answers.guard.said_sentence import SaidSentence
from app.core.text.number_kinds import is_time, likeness, number_kinds, ranges_in, units_of
from app.core.text.polarity import denies, is_denied_there, limits
from app.core.text.stated_facts import Fact, FactKind, spellings

# The least share of the best rival's cover; lower for languages without word lists of units and weak verbs.
_LIKE_THE_RIVAL: Final = {FactKind.NUMBER: 0.7, FactKind.NAME: 0.65}
_LIKE_THE_RIVAL_ELSEWHERE: Final = {FactKind.NUMBER: 0.6, FactKind.NAME: 0.2}
_WHOLE_LIKE_THE_RIVAL: Final = 0.5  # for the whole sentence, where a clause alone fits both equally
_EVEN: Final = (0.95, 1.05)
_NAMED_BEFORE: Final = 0.8  # a name in the sentence before counts less than in the place
_SAYS_ANOTHER: Final = 0.8  # for a rival that also has another number of the sentence
_NOT_JOINED: Final = 0.5  # no name of the clause is near the number, or no number near the name
_NEARLY: Final = 0.5  # share of the best cover from which what a place denies or limits counts
_PARTS: Final = re.compile(r"[,;:]\s|\s(?:and|or|but|while|except)\s")
_SAYS_PART: Final = 0.6  # share of a part's words that the sentence has, if it speaks of that part
# A denied number ("not 5 GHz") is a weaker rival of 2.4 GHz. Without this, the sets of sentences have the same figures,
# but a correct sentence of a real model in tests/answers/test_fact_proof.py is marked.
_DENIED_RIVAL: Final = 0.6
_NO_RIVAL: Final = 9.0


class FactProof:
    """Looks up the facts of one sentence in the places of the sources."""

    def __init__(self, index: PlaceIndex, sentence: SaidSentence) -> None:
        self._index = index
        self._said = sentence
        self._held: dict[Fact, list[float]] = {}
        self._known_rivals: dict[Fact, Mapping[int, float]] = {}

    def stands(self, fact: Fact) -> bool:
        if fact.kind is FactKind.NAME and self._said.is_list_of_names and any(self.held(fact)):
            return True  # each has a place of its own
        if self.is_denied_and_absent(fact) or self._is_denied_of_it(fact):
            return True
        if fact.kind is FactKind.NUMBER and self._is_of_another_range(fact):
            return False
        if fact.kind is FactKind.NUMBER and self._is_outdone(fact):
            return False
        least = _LIKE_THE_RIVAL if self._said.is_english else _LIKE_THE_RIVAL_ELSEWHERE
        return self.likeness(fact) >= least[fact.kind]

    def _is_outdone(self, fact: Fact) -> bool:
        """Whether every place with the number has a rival that shares the same words with the sentence, and more: "6
        seconds", where the words for restarting too stand with another number. Only for sentences of one clause."""
        kinds = {kind for _, kind in self._said.numbers.get(fact.text, ())}
        if len(self._said.parts) > 1 or "" in kinds:
            return False
        held, words = self.held(fact), stems(self._said.text)
        holding_words = [self._index.places[at].shared(words) for at, has in enumerate(held) if has]
        rivals = [self._index.places[at].shared(words) for at, like in self._rivals(fact).items() if like == 1]
        return bool(holding_words) and all(any(own < rival for rival in rivals) for own in holding_words)

    def likeness(self, fact: Fact) -> float:
        """The cover of the best place with the fact, as a share of its best rival's; 0 if no place has the fact."""
        held = self.held(fact)
        if not any(held):
            return 0.0
        rivals = self._rivals(fact)
        itself = stems(f"{fact.text} {self._units(fact)}") | number_words(spellings(fact.text))
        parts = [part for part in self._said.parts if fact in part.facts]
        found = [self._in_part(part.words - itself, part.joined_with(fact), held, rivals) for part in parts]
        likenesses = [each for each in found if each is not None]
        if not likenesses:
            return _NO_RIVAL
        best = max(likenesses)
        whole = found[0]
        if _EVEN[0] < best < _EVEN[1] and whole is not None and whole < _WHOLE_LIKE_THE_RIVAL:
            return whole
        return best

    def held(self, fact: Fact) -> list[float]:
        """For each place how surely it has the fact, in [0, 1]."""
        if fact not in self._held:
            self._held[fact] = self._look_up(fact)
        return self._held[fact]

    def _look_up(self, fact: Fact) -> list[float]:
        places = self._index.places
        if fact.kind is FactKind.NUMBER:
            pairs = self._said.numbers.get(fact.text, ())
            words = [part.words for part in self._said.clauses if fact in part.facts]
            likenesses = [
                max(
                    (likeness(kind, has) for spelling, kind in pairs for has in place.numbers.get(spelling, ())),
                    default=0.0,
                )
                for place in places
            ]
            return [
                0.0 if like and any(self._is_of_another_part(place.text, each, pairs) for each in words) else like
                for place, like in zip(places, likenesses, strict=True)
            ]
        held = [_names(place, fact.text) for place in places]
        if any(held):
            return held
        folded = fact.text.casefold()
        names = {folded, *self._other_names(folded)}
        return [float(any(is_named(name, place.folded) for name in names)) for place in places]

    def _other_names(self, name: str) -> frozenset[str]:
        """Other names of `name`: of a union only if the sentence names one too, or has a number that must fit."""
        others = other_names(name)
        if is_member(name) and not self._said.numbers and not others & _names_said(self._said.text):
            return frozenset()
        return others

    def is_denied_and_absent(self, fact: Fact) -> bool:
        """Whether a name that no source has is denied ("We do not ship to Japan") where a similar place sets limits."""
        if fact.kind is not FactKind.NAME or any(self.held(fact)) or not is_denied_there(fact.text, self._said.text):
            return False
        covers = self._index.covers(self._said.words)
        best = max(covers, default=0.0)
        return any(
            denies(place.text) or limits(place.text)
            for place, cover in zip(self._index.places, covers, strict=True)
            if best and cover >= _NEARLY * best
        )

    def _is_denied_of_it(self, fact: Fact) -> bool:
        """Whether a clause is only a denial of the name, "but not Network", and a place denies of it what the sentence
        is about: "Network cannot be paused"."""
        name = stems(fact.text)
        if not any(each.own_words <= name and fact in each.facts and denies(each.text) for each in self._said.clauses):
            return False
        return any(
            has and denies(place.text) and (self._said.words - name) & place.words
            for place, has in zip(self._index.places, self.held(fact), strict=True)
        )

    def _is_of_another_range(self, fact: Fact) -> bool:
        """Whether a source's range shares one end with the sentence's ("1 to 6", "1 to 12"), and none shares both."""
        for stated in ranges_in(self._said.text):
            if fact.text not in stated:
                continue
            ranges = [pair for place in self._index.places for pair in ranges_in(place.text)]
            spelt = [
                tuple(bool(spellings(end) & spellings(own)) for own, end in zip(stated, pair, strict=True))
                for pair in ranges
            ]
            if spelt and not any(all(pair) for pair in spelt) and any(any(pair) for pair in spelt):
                return True
        return False

    def _is_of_another_part(self, text: str, words: frozenset[str], pairs: Collection[tuple[str, str]]) -> bool:
        """Whether the number is in one part of the text while the words speak of another part, with a number of the
        same kind: in "3 years, battery packs 1 year", the 3 does not belong to battery packs. Words of the first part
        count for the later ones too."""
        spelt, kinds = {spelling for spelling, _ in pairs}, {kind for _, kind in pairs}
        parts = _PARTS.split(text)
        if len(parts) == 1:
            return False
        own, lost = frozenset[str](), frozenset[str]()
        others: list[frozenset[str]] = []
        for at, part in enumerate(parts):
            numbers, has = number_kinds(part), frozenset(word for word in stems(part) if not word.isdigit())
            if not spelt.isdisjoint(numbers):
                own |= has
                lost |= has if at else frozenset()
            elif self._said.spelt.isdisjoint(numbers) and any(
                likeness(kind, other) for each in numbers.values() for other in each for kind in kinds
            ):
                others.append(has)
        return any(
            other & words - own and not lost & words - other and len(other & words) >= _SAYS_PART * len(other)
            for other in others
        )

    def _rivals(self, fact: Fact) -> Mapping[int, float]:
        """The rival places by index, each with how surely it has another fact of the same kind, in [0, 1]."""
        if fact not in self._known_rivals:
            self._known_rivals[fact] = self._look_for_rivals(fact, self.held(fact))
        return self._known_rivals[fact]

    def _look_for_rivals(self, fact: Fact, held: Sequence[float]) -> Mapping[int, float]:
        places = {number: place for number, place in enumerate(self._index.places) if not place.is_heading}
        if fact.kind is FactKind.NUMBER:
            kinds = {kind for _, kind in self._said.numbers.get(fact.text, ())}
            likenesses = {
                number: self._other_number(kinds, place.numbers)
                for number, place in places.items()
                if place.numbers and not held[number]
            }
            return {
                number: like * (_DENIED_RIVAL if denies(places[number].text) else 1)
                for number, like in likenesses.items()
                if like
            }
        holding = [place for place, has in zip(self._index.places, held, strict=True) if has]
        shared = self._said.words.union(*(place.in_heading for place in holding))
        return {
            number: 1.0
            for number, place in places.items()
            if not held[number]
            and self._index.labels & (place.capitalised - self._said.words | place.in_heading - shared)
        }

    def _other_number(self, kinds: Collection[str], numbers: Mapping[str, set[str]]) -> float:
        """How similar the kind of a number that the sentence does not have is to `kinds`, in [0, 1]."""
        others = [has for number, has in numbers.items() if number not in self._said.spelt]
        like = max((likeness(kind, other) for has in others for other in has for kind in kinds), default=0.0)
        return like * (_SAYS_ANOTHER if self._said.spelt & numbers.keys() else 1)

    def _in_part(
        self, words: Collection[str], joined: Sequence[Fact], held: Sequence[float], rivals: Mapping[int, float]
    ) -> float | None:
        """The best cover with the fact as a share of the best rival's, by `words`; None if both are 0."""
        covers = self._index.covers(words)
        joined = [other for other in joined if any(self.held(other))]
        own = max(
            covers[number] * has * self._joins(self._index.places[number], joined)
            for number, has in enumerate(held)
            if has
        )
        rival = max((covers[number] * like for number, like in rivals.items()), default=0.0)
        if not rival:
            return _NO_RIVAL if own else None
        return own / rival

    def _units(self, fact: Fact) -> str:
        """Words for the number's unit; they are not compared, because places may write them differently, as €."""
        kinds = {kind for _, kind in self._said.numbers.get(fact.text, ())}
        return " ".join(units_of(kind) for kind in kinds if not is_time(kind))

    def _joins(self, place: Place, joined: Sequence[Fact]) -> float:
        if not joined or any(self._is_in_scope(place, other) for other in joined):
            return 1.0
        return _NOT_JOINED

    def _is_in_scope(self, place: Place, fact: Fact) -> bool:
        if fact.kind is FactKind.NUMBER:
            return any(spelling in place.numbers_in_scope for spelling, _ in self._said.numbers.get(fact.text, ()))
        folded = fact.text.casefold()
        return any(is_named(name, place.scope) for name in (folded, *self._other_names(folded)))


def _names_said(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(name for name in union_names() if is_named(name, folded))


def _names(place: Place, name: str) -> float:
    pieces = name.split()  # "Breeze M and L" has Breeze L
    if pieces and all(is_named(piece, place.text) or is_named(piece, place.around) for piece in pieces):
        return 1.0
    return _NAMED_BEFORE if is_named(name, place.before) else 0.0
