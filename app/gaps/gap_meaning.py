"""When two questions mean the same; and a visitor who stops an answer to ask the same in other words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

# Cosine of a stopped question and the next one from which that is the same in other words. Between visitors this would
# mix up too much; here both come from one, within two minutes. Measured on the same groups (docs/evaluation.md): it
# finds the most of what is asked again, less what is asked of a near subject.
SHIPPED_REPHRASED_THRESHOLD: Final = 0.56
# Another model's scale is unknown: nearly the same wording is asked for.
OTHER_THRESHOLD: Final = 0.9
_SHIPPED_MODEL: Final = "onnx-model."
REPHRASED_WITHIN: Final = timedelta(minutes=2)  # of the stop


@dataclass(frozen=True, slots=True)
class SameMeaning:
    """From where on two questions may be one gap: their nearness is the cosine of the questions together with that of
    what is left of each without the words that both have, which counts `rest_weight` times as much. Two questions on
    one subject share the words that name it; what is left is what is asked of it.

    From `one_gap_from` on they may be one; under the cosine `looked_at_from` they are not looked at more closely.
    """

    rest_weight: float
    one_gap_from: float
    looked_at_from: float

    def nearness(self, cosine: float, rest: float | None) -> float:
        """`rest` is None where one question has no words beside those of the other."""
        return (cosine + self.rest_weight * (cosine if rest is None else rest)) / (1 + self.rest_weight)


# Measured for the shipped model on 527 questions in 147 groups of paraphrases (tests/data/paraphrases.jsonl,
# docs/evaluation.md), nearly half of which have a near miss beside them.
SHIPPED: Final = SameMeaning(rest_weight=0.7, one_gap_from=0.44, looked_at_from=0.4)
OTHER: Final = SameMeaning(rest_weight=0.0, one_gap_from=OTHER_THRESHOLD, looked_at_from=OTHER_THRESHOLD)


@dataclass(frozen=True, slots=True)
class UnplacedGap:
    """A gap that was not yet compared with the others; `language` is that of the turn that gave it away."""

    id: UUID
    agent_id: UUID
    question: str
    language: str | None


def same_meaning(model_id: str) -> SameMeaning:
    """What holds for that model's vectors."""
    return SHIPPED if model_id.startswith(_SHIPPED_MODEL) else OTHER


def rests(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """What is left of two questions, given as case-folded words, without the words that both have."""
    shared = set(one) & set(other)
    return " ".join(word for word in one if word not in shared), " ".join(word for word in other if word not in shared)


def rephrased_from(model_id: str) -> float:
    """The least cosine by that model at which the question after a stopped one is the same in other words."""
    return SHIPPED_REPHRASED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


@dataclass(frozen=True, slots=True)
class StoppedTurn:
    """A turn whose answer the visitor stopped, to ask the same in other words: what they were told was not what they
    wanted. `asked_next` is the question that they then began, in the same
    conversation and within REPHRASED_WITHIN; None when they began none. `language` is that of the turn (BCP 47 primary
    subtag). Personal data is masked in both questions."""

    id: UUID
    question: str
    asked_next: str | None
    language: str | None
