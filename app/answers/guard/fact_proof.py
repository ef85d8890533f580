"""Checks whether the sources have a fact in a place that is about the same subject as the sentence.

The place that has the fact must match the sentence nearly as well as its best *rival*: a place that has another number
of the same kind, or another name.
"""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Final

from app.answers.guard.evidence_places import Place, PlaceIndex
from app.answers.guard.fact_places import FactPlaces, NamePlaces, NumberPlaces
from app.answers.guard.place_words import stems
from app.answers.guard.sentence_parts import Part, ReadSentence
from app.core.text.polarity import denies, is_denied_there, limits
from app.core.text.stated_facts import Fact, FactKind

# The least share of the best rival's cover; lower for languages without word lists of units and weak verbs.
_LIKE_THE_RIVAL: Final = {FactKind.NUMBER: 0.7, FactKind.NAME: 0.65}
_LIKE_THE_RIVAL_ELSEWHERE: Final = {FactKind.NUMBER: 0.6, FactKind.NAME: 0.2}
_WHOLE_LIKE_THE_RIVAL: Final = 0.5  # for the whole sentence, where a clause alone fits both equally
_NOT_JOINED: Final = 0.5  # no name of the clause is near the number, or no number near the name
_NO_RIVAL: Final = 9.0


class FactProof:
    """Looks up the numbers and names of one sentence in the places of the sources."""

    def __init__(self, index: PlaceIndex, sentence: ReadSentence) -> None:
        self._index = index
        self._sentence = sentence
        self._numbers = NumberPlaces(index, sentence)
        self._places: dict[FactKind, FactPlaces] = {
            FactKind.NUMBER: self._numbers,
            FactKind.NAME: NamePlaces(index, sentence),
        }
        self._held: dict[Fact, list[float]] = {}
        self._known_rivals: dict[Fact, Mapping[int, float]] = {}

    def stands(self, fact: Fact) -> bool:
        if self.is_denied_and_absent(fact) or self._is_denied_of_it(fact):
            return True
        if fact.kind is FactKind.NUMBER and (
            self._numbers.is_of_another_range(fact)
            or self._numbers.is_outdone(fact, self.held(fact), self._rivals(fact))
        ):
            return False
        least = _LIKE_THE_RIVAL if self._sentence.is_english else _LIKE_THE_RIVAL_ELSEWHERE
        return self._beside_rivals(fact) >= least[fact.kind]

    def held(self, fact: Fact) -> list[float]:
        """For each place how surely it has the fact, in [0, 1]."""
        if fact not in self._held:
            self._held[fact] = self._places[fact.kind].sureness(fact)
        return self._held[fact]

    def is_denied_and_absent(self, fact: Fact) -> bool:
        """Whether a name that no source has is denied ("We do not ship to Japan") where a place about the same sets
        limits."""
        if (
            fact.kind is not FactKind.NAME
            or any(self.held(fact))
            or not is_denied_there(fact.text, self._sentence.text)
        ):
            return False
        covers = self._index.covers(self._sentence.words)
        return any(
            cover and (denies(place.text) or limits(place.text))
            for place, cover in zip(self._index.places, covers, strict=True)
        )

    def _is_denied_of_it(self, fact: Fact) -> bool:
        """Whether a clause is only a denial of the name, "but not Network", and a place denies of it what the sentence
        is about: "Network cannot be paused"."""
        name = stems(fact.text)
        if not any(
            part.own_words <= name and fact in part.facts and denies(part.text) for part in self._sentence.clauses
        ):
            return False
        return any(
            has and denies(place.text) and (self._sentence.words - name) & place.words
            for place, has in zip(self._index.places, self.held(fact), strict=True)
        )

    def _beside_rivals(self, fact: Fact) -> float:
        """The cover of the best place with the fact, as a share of its best rival's, in the part of the sentence where
        that is largest; 0 if no place has the fact."""
        if not any(self.held(fact)):
            return 0.0
        shares = [self._in_part(fact, part) for part in self._sentence.parts if fact in part.facts]
        known = [share for share in shares if share is not None]
        if not known:
            return _NO_RIVAL
        whole, best = known[0], max(known)  # places that have words of a clause have them of the whole sentence
        return whole if whole < _WHOLE_LIKE_THE_RIVAL and isclose(best, 1) else best

    def _in_part(self, fact: Fact, part: Part) -> float | None:
        """The best cover with the fact as a share of the best rival's, by the part's words; None if both are 0. Places
        count less if none of the facts joined with it, as far as the sources have them, is in their scope."""
        covers = self._index.covers(part.words - self._places[fact.kind].own_words(fact))
        joined = [other for other in part.joined_with(fact) if any(self.held(other))]
        own = max(
            covers[at] * has * (1.0 if self._is_joined(self._index.places[at], joined) else _NOT_JOINED)
            for at, has in enumerate(self.held(fact))
            if has
        )
        rival = max((covers[at] * like for at, like in self._rivals(fact).items()), default=0.0)
        if rival:
            return own / rival
        return _NO_RIVAL if own else None

    def _is_joined(self, place: Place, joined: Sequence[Fact]) -> bool:
        return not joined or any(self._places[other.kind].is_in_scope(place, other) for other in joined)

    def _rivals(self, fact: Fact) -> Mapping[int, float]:
        if fact not in self._known_rivals:
            self._known_rivals[fact] = self._places[fact.kind].rivals(fact, self.held(fact))
        return self._known_rivals[fact]
