"""Decides when two questions mean the same; and when a visitor stops an answer to ask the same in other words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

# The cosine from which the question after a stopped one is the same in other words. Between visitors, this would mix up
# too much, but these two come from one visitor within two minutes. Measured on groups alike (docs/evaluation-log.md):
# it finds most rephrased questions, and few about a related subject.
SHIPPED_REPHRASED_THRESHOLD: Final = 0.56
# The scale of other models is unknown, so this requires nearly the same wording.
OTHER_THRESHOLD: Final = 0.9
_SHIPPED_MODEL: Final = "onnx-model."
REPHRASED_WITHIN: Final = timedelta(minutes=2)  # after the stop


@dataclass(frozen=True, slots=True)
class SameMeaning:
    """When two questions may be one gap: their nearness is the cosine of the questions plus `rest_weight` times that of
    their rests, the words that only one of them has. Two questions on one subject share its name; the rest is what they
    ask about it.

    They may be one from `one_gap_from` on; pairs whose cosine is below `looked_at_from` are not examined further.
    """

    rest_weight: float
    one_gap_from: float
    looked_at_from: float

    def nearness(self, cosine: float, rest: float | None) -> float:
        """`rest` is None if one question has no words besides those of the other."""
        return (cosine + self.rest_weight * (cosine if rest is None else rest)) / (1 + self.rest_weight)


# Measured for the shipped model on 527 questions in 147 groups of paraphrases (tests/data/paraphrases.jsonl,
# docs/evaluation-log.md), nearly half of which have a near miss.
SHIPPED: Final = SameMeaning(rest_weight=0.7, one_gap_from=0.44, looked_at_from=0.4)
OTHER: Final = SameMeaning(rest_weight=0.0, one_gap_from=OTHER_THRESHOLD, looked_at_from=OTHER_THRESHOLD)


@dataclass(frozen=True, slots=True)
class UnplacedGap:
    """A gap that was not compared with the others yet; `language` is that of its turn."""

    id: UUID
    agent_id: UUID
    question: str
    language: str | None


def same_meaning(model_id: str) -> SameMeaning:
    """The values for that model's vectors."""
    return SHIPPED if model_id.startswith(_SHIPPED_MODEL) else OTHER


def rests(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """The words of two questions, given as case-folded words, that only one of them has."""
    shared = set(one) & set(other)
    return " ".join(word for word in one if word not in shared), " ".join(word for word in other if word not in shared)


def rephrased_from(model_id: str) -> float:
    """The least cosine by that model at which the question after a stopped one is the same in other words."""
    return SHIPPED_REPHRASED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


@dataclass(frozen=True, slots=True)
class StoppedTurn:
    """A turn whose answer the visitor stopped. `asked_next` is the question that they then asked in the same
    conversation within REPHRASED_WITHIN; None if they asked none. `language` is that of the turn (BCP 47 primary
    subtag). Personal data is masked in both questions."""

    id: UUID
    question: str
    asked_next: str | None
    language: str | None
