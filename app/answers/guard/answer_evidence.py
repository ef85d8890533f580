"""Checks whether the sources state what a sentence states, about the same subject.

A number somewhere on a page proves nothing: a price list has the price of every plan. So each fact is looked up in
single sentences and table cells of the sources, together with what the sentence says of it (`fact_proof.py`). What a
clause denies is compared with what the places most similar to it deny, among those that have one of its numbers or
names if any has. A clause with a condition, such as "not without a key", is not compared, nor is one whose places deny
or limit anything in other words.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.answers.guard.evidence_places import Place, PlaceIndex, Section, as_said
from app.answers.guard.fact_proof import FactProof
from app.answers.guard.place_words import denied_stems, number_words, stems
from app.answers.guard.said_sentence import Part, SaidSentence, needs_no_proof
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
from app.core.text.stated_facts import Fact, FactKind, menu_steps, plain, spellings

_AS_PATHS: Final = str.maketrans({"›": ">", "→": ">", "*": None, "_": None})  # of menus, which may be emphasised
_PROVING_COVER: Final = 0.6  # at this cover a place says what the sentence says
_PROVING_COVER_OF_FIGURES: Final = 0.3  # if it has the sentence's numbers too
_PROVING_COVER_OF_FACTS: Final = 0.2  # if it has several numbers and names
_PROVING_COVER_OF_FEW_WORDS: Final = 0.9
_SEVERAL_FACTS: Final = 3
_FEWEST_PROVING_WORDS: Final = 3
_FEWEST_QUOTED: Final = 5  # words
_SAME_LANGUAGE: Final = 0.5  # share of a sentence's words that sources in its language know
_AS_GOOD: Final = 0.8  # share of the best cover from which other places count as well
_SAME_SHARE: Final = 0.85  # of a sentence's words
_LEAST_SHARE: Final = 0.45  # of a clause's words that the places must have
_LEAST_SHARE_WITHOUT_FACTS: Final = 0.6
_LEAST_SHARE_OF_DENIALS: Final = 0.5
_FEWEST_WORDS: Final = 2  # that a place has of a clause, to be about the same
_STOPS: Final = re.compile(r"[,;:.]\s")
_SEGMENTS: Final = re.compile(r"[,;:.]\s|\s(?:but|and|or|so)\s")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The check of one sentence; `missing` are the facts that the sources do not prove. `together`, in [0, 1], is the
    share of its words in the best place, or in the best places for its clauses. `facts` counts its facts, `figures` the
    numbers among them, `words` its content words. If it `is_across` languages, words and names were not compared."""

    missing: tuple[Fact, ...]
    is_contradicted: bool
    facts: int
    figures: int = 0
    words: int = 0
    is_across: bool = False
    together: float = 0.0

    @property
    def is_proven(self) -> bool:
        return not self.missing and not self.is_contradicted

    @property
    def proves(self) -> bool:
        """Whether the sources state the sentence, rather than only not contradict it."""
        if not self.is_proven:
            return False
        if self.is_across:
            return self.figures > 0
        if self.figures and self.together >= _PROVING_COVER_OF_FIGURES:
            return True
        if self.facts >= _SEVERAL_FACTS and self.together >= _PROVING_COVER_OF_FACTS:
            return True
        return self.together >= (_PROVING_COVER if self.words >= _FEWEST_PROVING_WORDS else _PROVING_COVER_OF_FEW_WORDS)


class Evidence:
    """Checks sentences against some sections. The case-folded `own_names` are the company's and need no proof."""

    def __init__(self, sections: Sequence[Section], own_names: Collection[str] = ()) -> None:
        self._index = PlaceIndex(sections)
        self._letters = frozenset("".join(section.code for section in sections).casefold())
        self._own_names = own_names
        self._said = [section.said for section in sections]
        self._code = "\n".join(section.code for section in sections)

    @property
    def is_empty(self) -> bool:
        return not self._index.places

    def verdict(self, sentence: str, language: str | None = "en", *, is_across: bool = False) -> Verdict:
        """`is_across`: the sources are in another language than the sentence."""
        if self._is_quoted(sentence):
            return Verdict((), False, 0, together=1.0)
        index = self._index
        read = SaidSentence.read(sentence, language, index.names, index.is_word, index.has_phrase)
        words = stems(read.text)
        figures = sum(fact.kind is FactKind.NUMBER for fact in read.facts)
        may_differ = is_across or language not in (None, "en")
        if self._is_other_script(read.text) or (may_differ and index.knows(words) < _SAME_LANGUAGE):
            gone = tuple(fact for fact in read.facts if fact.kind is not FactKind.NAME and not self._is_anywhere(fact))
            return Verdict(gone, False, len(read.facts), figures, len(words), is_across=True)
        proof = FactProof(index, read)
        missing = tuple(
            fact
            for fact in read.facts
            if not needs_no_proof(fact, read.text, self._own_names) and not self._stands(fact, proof)
        )
        missing += tuple(
            Fact(FactKind.CODE, f"{label} > {step}")
            for label, step in menu_steps(sentence)
            if not self._leads_to(label, step)
        )
        # A source need not name what the sentence denies ("We do not ship to Japan"), nor the company.
        absent = (fact.text for fact in read.facts if proof.is_denied_and_absent(fact))
        together = self._together(read, stems(" ".join([*self._own_names, *absent])))
        contradicted = _is_contradicted(index, read, proof)
        return Verdict(missing, contradicted, len(read.facts), figures, len(words), together=together)

    def _is_quoted(self, sentence: str) -> bool:
        """Whether it is a sentence of a source, or several in sequence, word for word."""
        words = as_said(sentence)
        return words.count(" ") > _FEWEST_QUOTED and any(words in each for each in self._said)

    def _together(self, sentence: SaidSentence, unsaid: frozenset[str]) -> float:
        """The share of the words, without `unsaid`, in one place, or in the best places for the clauses together."""
        whole = max(self._index.shares(stems(sentence.text) - unsaid), default=0.0)
        words = [clause.own_words.difference(unsaid) for clause in sentence.clauses]
        weight = sum(map(self._index.weight, words))
        found = sum(max(self._index.covers(each), default=0.0) for each in words)
        return max(whole, found / weight if weight else 0.0)

    def nearest(self, sentence: str, count: int) -> list[str]:
        """The places that share the most words with the sentence."""
        return [place.text for place in self._index.by_cover(stems(plain(sentence)))[:count]]

    def likest(self, sentence: str, having: Sequence[Fact] = (), at_least: float = 0.0) -> str:
        """The place that shares the most words with the sentence, among those that have one of the facts `having`, if
        given. "" if none shares as much as `at_least`."""
        shares = self._index.shares(stems(plain(sentence)))
        fitting = [
            (share, place)
            for share, place in zip(shares, self._index.places, strict=True)
            if not having or any(place.has(fact) for fact in having)
        ]
        share, best = max(fitting, key=lambda pair: pair[0], default=(0.0, None))
        return best.text if best is not None and share >= at_least else ""

    def has_word(self, stem: str) -> bool:
        return self._index.has_word(stem)

    def has_code(self, code: str) -> bool:
        """Whether a source contains it, ignoring spaces."""
        return "".join(code.split()) in self._code

    def _leads_to(self, label: str, step: str) -> bool:
        """Whether a source has the menu path `label > step`, or no path from `label` at all."""
        paths = self._code.translate(_AS_PATHS)
        return f"{label}>{step}" in paths or f"{label}>" not in paths

    def _is_other_script(self, text: str) -> bool:
        """Whether most letters of the text are in none of the sources."""
        letters = {letter for letter in text.casefold() if letter.isalpha()}
        return sum(letter in self._letters for letter in letters) < _SAME_LANGUAGE * len(letters)

    def _is_anywhere(self, fact: Fact) -> bool:
        return (
            self.has_code(fact.text)
            if fact.kind is FactKind.CODE
            else any(place.has(fact) for place in self._index.places)
        )

    def _stands(self, fact: Fact, proof: FactProof) -> bool:
        return self.has_code(fact.text) if fact.kind is FactKind.CODE else proof.stands(fact)


def _is_contradicted(index: PlaceIndex, sentence: SaidSentence, proof: FactProof) -> bool:
    if not sentence.is_english:
        return _is_same_but_denied(index, sentence)
    if has_exception(sentence.text) and denies(sentence.text):
        return False
    if _is_turned_round(index, sentence, proof) or any(
        _is_denied_word_for_word(index, clause) for clause in sentence.clauses
    ):
        return True
    return any(
        _is_clause_contradicted(index, clause, proof, is_plain=not denies(sentence.text)) for clause in sentence.clauses
    )


def _is_turned_round(index: PlaceIndex, sentence: SaidSentence, proof: FactProof) -> bool:
    """Whether the place most similar to a part states the contrary in other words, limits what the part says of
    everything, or lacks a limit that the part has."""
    has_price = _has_price(number_kinds(sentence.text))
    if has_price is not is_free(sentence.text) and any(
        _is_priced_otherwise(index, part, has_price) for part in sentence.parts
    ):
        return True
    if any(_is_of_some_columns(index, sentence, part, proof) for part in sentence.parts):
        return True
    return any(
        is_contrary(part.text, place.text)
        or is_too_wide(part.text, _said_of_it(place, part))
        or is_too_narrow(part.text, place.text)
        for part in sentence.parts
        if not is_condition(part.text)
        for place in _likest(index, part, proof)
    )


def _is_of_some_columns(index: PlaceIndex, sentence: SaidSentence, part: Part, proof: FactProof) -> bool:
    """Whether the part states a number for all ("5 years on every plan") and another cell of the row has another."""
    shares = index.shares(part.own_words) if says_of_all(part.text) else []
    for fact in part.facts if shares else ():
        held = [at for at, has in enumerate(proof.held(fact)) if has and fact.kind is FactKind.NUMBER]
        best = max(held, key=shares.__getitem__, default=-1)
        if best < 0 or any(proof.held(name)[best] for name in part.names):
            continue
        place = index.places[best]
        kinds = {kind for spelling in spellings(fact.text) for kind in place.numbers.get(spelling, ())}
        row = number_kinds(place.around)
        if place.is_cell and any(kinds & found and number not in sentence.spelt for number, found in row.items()):
            return True
    return False


def _is_priced_otherwise(index: PlaceIndex, part: Part, has_price: bool) -> bool:
    """Whether the part has a price while the most similar place is free of charge and has none, or the reverse."""
    if _has_price(number_kinds(part.text)) is is_free(part.text) or is_condition(part.text):
        return False
    words = [word for word in part.own_words if not word.startswith("=")]
    shares = index.shares(words)
    best = max(
        (at for at, place in enumerate(index.places) if not place.is_heading), key=shares.__getitem__, default=-1
    )
    if best < 0 or shares[best] < _LEAST_SHARE:
        return False
    place = index.places[best]
    return (
        bool(place.words & {*words}) and is_free(place.text) is has_price and _has_price(place.numbers) is not has_price
    )


def _has_price(numbers: Mapping[str, Collection[str]]) -> bool:
    return any(MONEY in kinds for kinds in numbers.values())


def _said_of_it(place: Place, part: Part) -> str:
    """The segments of the place, cut at punctuation, that share a word with the part."""
    return " ".join(segment for segment in _STOPS.split(place.text) if part.own_words & _tokens(segment))


def _is_denied_word_for_word(index: PlaceIndex, clause: Part) -> bool:
    """Whether a similar place denies a word that the clause asserts ("not carried over") and no place at least as
    similar asserts it, or the most similar place denies a word that the sources never assert ("not heated")."""
    if is_condition(clause.text) or denies(clause.text):
        return False
    shares = index.shares(clause.words)
    best = max(shares, default=0.0)
    if any(
        place.never & clause.own_words & index.only_denied and share == best and _denies_it(index, place, clause)
        for place, share in zip(index.places, shares, strict=True)
    ):
        return True
    for place, share in zip(index.places, shares, strict=True):
        is_like = share >= _LEAST_SHARE_OF_DENIALS and len(place.words & clause.own_words) >= _FEWEST_WORDS
        denied = _denied_of(index, place, clause) if is_like and place.denied & clause.own_words else frozenset()
        if denied and not any(
            other_share >= share and denied & other.words and not denied & other.denied
            for other, other_share in zip(index.places, shares, strict=True)
        ):
            return True
    return False


def _denied_of(index: PlaceIndex, place: Place, clause: Part) -> frozenset[str]:
    """The words of the clause that the place denies, in the segment most similar to the clause."""
    clause_of_place = max(place.text.split(";"), key=lambda part: index.known_weight(clause.own_words & _tokens(part)))
    return denied_stems(clause_of_place) & clause.own_words


def _likest(index: PlaceIndex, part: Part, proof: FactProof) -> list[Place]:
    """The place most similar to the part, as a list of one; empty if it shares too few words. If any place has one of
    the part's numbers or names, only such places are considered."""
    words = [word for word in part.own_words if not word.startswith("=")]
    shares = index.shares(words)
    numbers = _having_its_facts(index, part, proof) or range(len(shares))
    best = max(
        (number for number in numbers if not index.places[number].is_heading), key=shares.__getitem__, default=-1
    )
    if best < 0 or shares[best] < _LEAST_SHARE:
        return []
    place = index.places[best]
    return [place] if len((place.words | place.words_around) & {*words}) >= _FEWEST_WORDS else []


def _is_same_but_denied(index: PlaceIndex, sentence: SaidSentence) -> bool:
    """Whether the places with nearly all words of the sentence assert what it denies, or the reverse: for languages
    whose other forms of denial are not known."""
    shares = index.shares(stems(sentence.text))
    best = max(shares, default=0.0)
    places = [place for place, share in zip(index.places, shares, strict=True) if share >= _AS_GOOD * best]
    if best < _SAME_SHARE:
        return False
    if denies(sentence.text):
        return not any(denies(place.text) or denies(place.around) or denies(place.before) for place in places)
    return all(denies(place.text) for place in places)


def _is_clause_contradicted(index: PlaceIndex, clause: Part, proof: FactProof, *, is_plain: bool) -> bool:
    is_denial = denies(clause.text)
    if is_condition(clause.text) or (not is_denial and not is_plain):
        return False
    if is_denial and any(map(proof.is_denied_and_absent, clause.facts)):
        return False  # "We do not ship to Japan", where the sources name the countries to which they do
    if not is_denial and (limits(clause.text) or is_free(clause.text)):
        return False
    shares = index.shares(clause.words)
    anchored = _having_its_facts(index, clause, proof)
    chosen = [number for number in anchored or range(len(shares)) if not index.places[number].is_heading]
    share = max((shares[number] for number in chosen), default=0.0)
    places = [index.places[number] for number in chosen if shares[number] >= _AS_GOOD * share]
    if not share:
        return False
    if is_denial:
        least = _LEAST_SHARE if anchored else _LEAST_SHARE_WITHOUT_FACTS
        own = index.shares(clause.own_words)
        most = max(own)
        places += [
            place for place, each in zip(index.places, own, strict=True) if each == most and not place.is_heading
        ]
        return share >= least and not any(_may_deny(place, clause.text, bool(anchored)) for place in places)
    shared = max((len(clause.own_words & place.words) for place in places), default=0)
    if shared < _FEWEST_WORDS and not anchored:
        return False
    return share >= _LEAST_SHARE_OF_DENIALS and all(_denies_it(index, place, clause) for place in places)


def _having_its_facts(index: PlaceIndex, clause: Part, proof: FactProof) -> list[int]:
    """Indices of the places that have one of the clause's numbers, or one of its names if no place has a number."""
    for kind in (FactKind.NUMBER, FactKind.NAME):
        held = [proof.held(fact) for fact in clause.facts if fact.kind is kind]
        surest = [(each, max(each)) for each in held if any(each)]
        if surest:
            return [at for at in range(len(index.places)) if any(each[at] == most for each, most in surest)]
    return []


def _may_deny(place: Place, statement: str, is_anchored: bool) -> bool:
    if denies(place.text) or limits(place.text) or (speaks_of_paying(statement) and is_free(place.text)):
        return True
    return not is_anchored and (denies(place.around) or denies(place.before))


def _denies_it(index: PlaceIndex, place: Place, clause: Part) -> bool:
    """Whether the place is in a list of denials, or its segment most similar to the clause denies something."""
    text = without_case(place.text)
    segments = [segment for segment in _SEGMENTS.split(text) if segment.strip()]
    if not segments:
        return False
    if place.is_denied:
        return True
    return denies(max(segments, key=lambda segment: index.known_weight(clause.own_words & _tokens(segment))))


def _tokens(text: str) -> frozenset[str]:
    return stems(text) | number_words(number_kinds(text))
