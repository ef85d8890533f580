"""Checks whether the sources state what a sentence states, about the same subject.

A number somewhere on a page proves nothing: a price list has the price of every plan. So each fact is looked up in
single sentences and table cells of the sources, together with what the sentence says of it (`fact_proof.py`). What it
asserts or denies is compared with the places that are most similar to it (`contradiction.py`).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.answers.guard.contradiction import Contradiction
from app.answers.guard.evidence_places import PlaceIndex, Section, wording_of
from app.answers.guard.fact_proof import FactProof
from app.answers.guard.place_words import stems
from app.answers.guard.sentence_parts import ReadSentence, needs_no_proof
from app.core.text.stated_facts import Fact, FactKind, menu_steps, plain

_AS_PATHS: Final = str.maketrans({"›": ">", "→": ">", "*": None, "_": None})  # of menus, which may be emphasised
_STATING_COVER: Final = 0.6  # at this cover a place says what the sentence says
_STATING_COVER_OF_FIGURES: Final = 0.3  # if it has the sentence's numbers too
_FEW_WORDS: Final = 3  # prove something only all together, and are no quotation
_SAME_LANGUAGE: Final = 0.5  # share of a sentence's words that sources in its language know


class Support(StrEnum):
    """How far the sources support a sentence."""

    STATED = "stated"
    NOT_OPPOSED = "not opposed"  # they have its facts, and nothing to the contrary
    LACKING = "lacking"  # they do not have all of its facts
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The check of one sentence; `missing` are the facts that the sources do not prove. `together`, in [0, 1], is the
    share of its words in the best place, or in the best places for its clauses. If it `is_across` languages, words and
    names were not compared."""

    support: Support
    missing: tuple[Fact, ...] = ()
    together: float = 0.0
    is_across: bool = False

    @property
    def is_proven(self) -> bool:
        return self.support in (Support.STATED, Support.NOT_OPPOSED)

    @property
    def is_stated(self) -> bool:
        return self.support is Support.STATED

    @property
    def is_contradicted(self) -> bool:
        return self.support is Support.CONTRADICTED


class Evidence:
    """Checks sentences against some sections. The case-folded `own_names` are the company's and need no proof."""

    def __init__(self, sections: Sequence[Section], own_names: Collection[str] = ()) -> None:
        self._index = PlaceIndex(sections)
        self._letters = frozenset("".join(section.code for section in sections).casefold())
        self._own_names = own_names
        self._wordings = [section.wording for section in sections]
        self._code = "\n".join(section.code for section in sections)

    @property
    def is_empty(self) -> bool:
        return not self._index.places

    def verdict(self, sentence: str, language: str | None = "en", *, is_across: bool = False) -> Verdict:
        """`is_across`: the sources are in another language than the sentence."""
        if self._is_quoted(sentence):
            return Verdict(Support.STATED, together=1.0)
        index = self._index
        read = ReadSentence.read(sentence, language, index.names, index.is_word, index.has_phrase)
        may_differ = is_across or language not in (None, "en")
        if self._is_other_script(read.text) or (may_differ and index.knows(stems(read.text)) < _SAME_LANGUAGE):
            return self._across_languages(read)
        return self._by_words(read, menu_steps(sentence))

    def _across_languages(self, read: ReadSentence) -> Verdict:
        facts = [fact for fact in read.facts if fact.kind is not FactKind.NAME]
        missing = self._missing(facts, lambda fact: any(place.has(fact) for place in self._index.places))
        if missing:
            return Verdict(Support.LACKING, tuple(missing), is_across=True)
        return Verdict(Support.STATED if read.has_figures else Support.NOT_OPPOSED, is_across=True)

    def _by_words(self, read: ReadSentence, steps: Iterable[tuple[str, str]]) -> Verdict:
        """`steps` are the sentence's menu steps."""
        proof = FactProof(self._index, read)
        claims = [fact for fact in read.facts if not needs_no_proof(fact, read.text, self._own_names)]
        missing = self._missing(claims, proof.stands)
        missing += [
            Fact(FactKind.CODE, f"{label} > {step}") for label, step in steps if not self._leads_to(label, step)
        ]
        # A source need not name what the sentence denies ("We do not ship to Japan"), nor the company.
        absent = (fact.text for fact in read.facts if proof.is_denied_and_absent(fact))
        together = self._together(read, stems(" ".join([*self._own_names, *absent])))
        if Contradiction(self._index, read, proof).is_found:
            support = Support.CONTRADICTED
        elif missing:
            support = Support.LACKING
        else:
            support = Support.STATED if together >= _stating_cover(read) else Support.NOT_OPPOSED
        return Verdict(support, tuple(missing), together)

    def _is_quoted(self, sentence: str) -> bool:
        """Whether it is a sentence of a source, or several in sequence, word for word."""
        words = wording_of(sentence)
        return words.count(" ") > _FEW_WORDS and any(words in wording for wording in self._wordings)

    def _together(self, sentence: ReadSentence, unsaid: frozenset[str]) -> float:
        """The share of the words, without `unsaid`, in one place, or in the best places for the clauses together."""
        whole = max(self._index.shares(stems(sentence.text) - unsaid), default=0.0)
        words = [clause.own_words.difference(unsaid) for clause in sentence.clauses]
        weight = sum(map(self._index.weight, words))
        found = sum(max(self._index.covers(own), default=0.0) for own in words)
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

    def _missing(self, facts: Iterable[Fact], is_found: Callable[[Fact], bool]) -> list[Fact]:
        """Those that the sources lack: code that is nowhere, and other facts that are not found."""
        return [
            fact for fact in facts if not (self.has_code(fact.text) if fact.kind is FactKind.CODE else is_found(fact))
        ]


def _stating_cover(sentence: ReadSentence) -> float:
    """The least `together` at which the sources state the sentence, if they have its facts."""
    if sentence.has_figures:
        return _STATING_COVER_OF_FIGURES
    return _STATING_COVER if len(stems(sentence.text)) >= _FEW_WORDS else 1.0
