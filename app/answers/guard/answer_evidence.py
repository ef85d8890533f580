"""Whether the sources state what a sentence states, about the same subject.

A number that is anywhere in a page proves nothing: a price list has the price of every plan. So each fact is looked up
in the sentences and table cells of the sources, together with what the sentence says of it (`fact_proof.py`), and what
a clause denies is compared with what the places like it deny (`contradiction.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.answers.guard.contradiction import is_contradicted
from app.answers.guard.evidence_places import Section
from app.answers.guard.fact_proof import FactProof
from app.answers.guard.place_index import PlaceIndex
from app.answers.guard.place_words import stems
from app.answers.guard.said_sentence import SaidSentence
from app.core.text.stated_facts import Fact, FactKind, plain

_PROVING_COVER: Final = 0.6  # at this cover a place says what the sentence says
_NEAR_COVER: Final = 0.4  # at this cover words alone show that a place is about the same


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the sources do not prove of a sentence. `cover`, in [0, 1], is the share of its words that the best place
    has; if it is low, only the meaning can decide (`needs_meaning`)."""

    missing: tuple[Fact, ...]
    is_contradicted: bool
    cover: float
    facts: int

    @property
    def is_proven(self) -> bool:
        return not self.missing and not self.is_contradicted

    @property
    def proves(self) -> bool:
        """Whether the sources say it, not only nothing against it."""
        return self.is_proven and self.cover >= _PROVING_COVER

    @property
    def needs_meaning(self) -> bool:
        return self.cover < _NEAR_COVER


class Evidence:
    """The places of some sections."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._index = PlaceIndex(sections)
        self._code = "\n".join(section.code for section in sections)

    @property
    def is_empty(self) -> bool:
        return not self._index.places

    def verdict(self, sentence: str, language: str | None = "en") -> Verdict:
        index = self._index
        said = SaidSentence.read(sentence, language, index.names, index.is_word, index.has_phrase)
        proof = FactProof(index, said)
        missing = tuple(fact for fact in said.facts if not self._stands(fact, proof))
        cover = max(index.shares(stems(said.text)), default=0.0)
        return Verdict(missing, is_contradicted(index, said, proof), cover, len(said.facts))

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

    def has_code(self, code: str) -> bool:
        """Whether a source contains it, ignoring spaces."""
        return "".join(code.split()) in self._code

    def _stands(self, fact: Fact, proof: FactProof) -> bool:
        return self.has_code(fact.text) if fact.kind is FactKind.CODE else proof.stands(fact)
