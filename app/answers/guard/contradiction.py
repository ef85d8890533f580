"""Whether the sources contradict a sentence.

Each part of a sentence is compared with the places of the sources that are most similar to it, among those that have
one of its numbers or names if any has. A clause with a condition, such as "not without a key", is not compared; what a
clause denies is not contradicted by places that deny or limit anything in other words.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.answers.guard.evidence_places import Place, PlaceIndex
from app.answers.guard.fact_proof import FactProof
from app.answers.guard.place_words import denied_stems, number_words, stems
from app.answers.guard.sentence_parts import Part, ReadSentence
from app.core.text.number_kinds import MONEY, number_kinds
from app.core.text.polarity import (
    denies,
    has_exception,
    is_condition,
    is_contrary,
    is_free,
    is_too_narrow,
    is_too_wide,
    limits,
    says_of_all,
    speaks_of_paying,
    without_case,
)
from app.core.text.stated_facts import Fact, FactKind, spellings

_NEARLY: Final = 0.85  # all of a sentence's words, and as good as the best place
_LEAST_SHARE: Final = 0.45  # of a clause's words that the places must have
_LEAST_SHARE_WITHOUT_FACTS: Final = 0.6
_LEAST_SHARE_OF_DENIALS: Final = 0.5
_FEWEST_WORDS: Final = 2  # that a place has of a clause, to be about the same
_STOPS: Final = re.compile(r"[,;:.]\s")
_SEGMENTS: Final = re.compile(r"[,;:.]\s|\s(?:but|and|or|so)\s")


@dataclass(frozen=True, slots=True)
class _Similar:
    """The places that are most similar to a clause, and the best one's share of its words. `has_facts`: only places
    with one of its numbers or names were considered."""

    places: list[Place]
    share: float
    has_facts: bool


class Contradiction:
    """Compares one sentence with the places of `index`; `proof` has looked up its facts there."""

    def __init__(self, index: PlaceIndex, sentence: ReadSentence, proof: FactProof) -> None:
        self._index = index
        self._sentence = sentence
        self._proof = proof

    @property
    def is_found(self) -> bool:
        parts, clauses, text = self._sentence.parts, self._sentence.clauses, self._sentence.text
        if not self._sentence.is_english:
            return self._is_same_but_denied()
        if denies(text) and has_exception(text):
            return False
        return (
            self._is_priced_otherwise()
            or any(map(self._is_of_some_columns, parts))
            or any(map(self._is_stated_otherwise, parts))
            or any(map(self._is_denied_word_for_word, clauses))
            or any(map(self._is_clause_contradicted, clauses))
        )

    def _is_same_but_denied(self) -> bool:
        """Whether the places with nearly all words of the sentence assert what it denies, or the reverse: for languages
        whose other forms of denial are not known."""
        shares = self._index.shares(stems(self._sentence.text))
        best = max(shares, default=0.0)
        if best < _NEARLY:
            return False
        places = [place for place, share in self._with_shares(shares) if share >= _NEARLY * best]
        if denies(self._sentence.text):
            return not any(denies(place.text) or denies(place.around) or denies(place.before) for place in places)
        return all(denies(place.text) for place in places)

    def _is_priced_otherwise(self) -> bool:
        """Whether a part has a price while the most similar place is free of charge and has none, or the reverse."""
        has_price = _has_price(number_kinds(self._sentence.text))
        if has_price is is_free(self._sentence.text):
            return False
        for part in self._sentence.parts:
            if is_condition(part.text) or _has_price(number_kinds(part.text)) is is_free(part.text):
                continue
            place = self._most_similar(part.own_stems, range(len(self._index.places)))
            if place is None or place.words.isdisjoint(part.own_stems):
                continue
            if is_free(place.text) is has_price and _has_price(place.numbers) is not has_price:
                return True
        return False

    def _is_of_some_columns(self, part: Part) -> bool:
        """Whether the part has a number for all ("5 years on every plan") and another cell of the row has another."""
        if not says_of_all(part.text):
            return False
        shares = self._index.shares(part.own_words)
        for fact in part.facts:
            having = [at for at, has in enumerate(self._proof.held(fact)) if has] if _is_number(fact) else []
            best = max(having, key=shares.__getitem__, default=None)
            if best is not None and not any(self._proof.held(name)[best] for name in part.names):
                place = self._index.places[best]
                kinds = {kind for spelling in spellings(fact.text) for kind in place.numbers.get(spelling, ())}
                if place.is_cell and self._has_other_number(place.around, kinds):
                    return True
        return False

    def _has_other_number(self, row: str, kinds: Collection[str]) -> bool:
        """Whether the row has a number of one of the kinds that the sentence does not have."""
        return any(
            not found.isdisjoint(kinds) and number not in self._sentence.spelt
            for number, found in number_kinds(row).items()
        )

    def _is_stated_otherwise(self, part: Part) -> bool:
        """Whether the most similar place states the contrary in other words, limits what the part says of everything,
        or lacks a limit that the part has."""
        if is_condition(part.text):
            return False
        among = self._having_facts_of(part) or range(len(self._index.places))
        place = self._most_similar(part.own_stems, among)
        if place is None or len(place.shared(frozenset(part.own_stems))) < _FEWEST_WORDS:
            return False
        about_it = " ".join(segment for segment in _STOPS.split(place.text) if part.own_words & _tokens(segment))
        return (
            is_contrary(part.text, place.text)
            or is_too_wide(part.text, about_it)
            or is_too_narrow(part.text, place.text)
        )

    def _is_denied_word_for_word(self, clause: Part) -> bool:
        """Whether a similar place denies a word that the clause asserts ("not carried over") and no place at least as
        similar asserts it."""
        if is_condition(clause.text) or denies(clause.text):
            return False
        shares = self._index.shares(clause.words)
        for place, share in self._with_shares(shares):
            if share < _LEAST_SHARE_OF_DENIALS or len(place.words & clause.own_words) < _FEWEST_WORDS:
                continue
            denied = self._denied_of(place, clause)
            if denied and not any(
                other_share >= share and denied & other.words and not denied & other.denied
                for other, other_share in self._with_shares(shares)
            ):
                return True
        return False

    def _denied_of(self, place: Place, clause: Part) -> frozenset[str]:
        """The words of the clause that the place denies, in the segment most similar to the clause."""
        if not place.denied & clause.own_words:
            return frozenset()
        return denied_stems(self._nearest_segment(place.text.split(";"), clause)) & clause.own_words

    def _is_clause_contradicted(self, clause: Part) -> bool:
        """Whether the similar places all deny what the clause asserts, or none of them denies or limits anything while
        it denies something."""
        if is_condition(clause.text):
            return False
        if denies(clause.text):
            return self._is_denial_unfounded(clause)
        return not denies(self._sentence.text) and self._is_assertion_denied(clause)

    def _is_denial_unfounded(self, clause: Part) -> bool:
        if any(map(self._proof.is_denied_and_absent, clause.facts)):
            return False  # "We do not ship to Japan", where the sources name the countries to which they do
        similar = self._similar_to(clause)
        if similar.share < (_LEAST_SHARE if similar.has_facts else _LEAST_SHARE_WITHOUT_FACTS):
            return False
        own = self._index.shares(clause.own_words)
        most = max(own)
        nearest = [place for place, share in self._with_shares(own) if share == most and not place.is_heading]
        return not any(
            _may_deny(place, clause.text, has_facts=similar.has_facts) for place in (*similar.places, *nearest)
        )

    def _is_assertion_denied(self, clause: Part) -> bool:
        if limits(clause.text) or is_free(clause.text):
            return False
        similar = self._similar_to(clause)
        if similar.share < _LEAST_SHARE_OF_DENIALS:
            return False
        most_shared = max((len(clause.own_words & place.words) for place in similar.places), default=0)
        is_same_subject = similar.has_facts or most_shared >= _FEWEST_WORDS
        return is_same_subject and all(self._denies_it(place, clause) for place in similar.places)

    def _similar_to(self, clause: Part) -> _Similar:
        shares = self._index.shares(clause.words)
        having = self._having_facts_of(clause)
        chosen = [at for at in having or range(len(shares)) if not self._index.places[at].is_heading]
        best = max((shares[at] for at in chosen), default=0.0)
        return _Similar([self._index.places[at] for at in chosen if shares[at] >= _NEARLY * best], best, bool(having))

    def _most_similar(self, words: Iterable[str], among: Iterable[int]) -> Place | None:
        """The place, no heading, that has the largest share of the words; None if that is small."""
        shares = self._index.shares(words)
        texts = (at for at in among if not self._index.places[at].is_heading)
        best = max(texts, key=shares.__getitem__, default=None)
        return None if best is None or shares[best] < _LEAST_SHARE else self._index.places[best]

    def _having_facts_of(self, part: Part) -> list[int]:
        """Indices of the places that have one of its numbers, or one of its names if no place has a number."""
        for kind in (FactKind.NUMBER, FactKind.NAME):
            held = [self._proof.held(fact) for fact in part.facts if fact.kind is kind]
            if surest := [_surest(sureness) for sureness in held if any(sureness)]:
                return sorted(set[int]().union(*surest))
        return []

    def _denies_it(self, place: Place, clause: Part) -> bool:
        """Whether the place is in a list of denials, or its segment most similar to the clause denies something."""
        segments = [segment for segment in _SEGMENTS.split(without_case(place.text)) if segment.strip()]
        return bool(segments) and (place.is_denied or denies(self._nearest_segment(segments, clause)))

    def _nearest_segment(self, segments: Iterable[str], clause: Part) -> str:
        return max(segments, key=lambda segment: self._index.known_weight(clause.own_words & _tokens(segment)))

    def _with_shares(self, shares: Iterable[float]) -> Iterable[tuple[Place, float]]:
        return zip(self._index.places, shares, strict=True)


def _may_deny(place: Place, statement: str, *, has_facts: bool) -> bool:
    """Whether a place may deny the statement: with one of its facts, only by its own text."""
    if denies(place.text) or limits(place.text) or (speaks_of_paying(statement) and is_free(place.text)):
        return True
    return not has_facts and (denies(place.around) or denies(place.before))


def _surest(sureness: Sequence[float]) -> set[int]:
    most = max(sureness)
    return {at for at, has in enumerate(sureness) if has == most}


def _has_price(numbers: Mapping[str, Collection[str]]) -> bool:
    return any(MONEY in kinds for kinds in numbers.values())


def _is_number(fact: Fact) -> bool:
    return fact.kind is FactKind.NUMBER


def _tokens(text: str) -> frozenset[str]:
    return stems(text) | number_words(number_kinds(text))
