"""When two questions mean the same."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

# Cosine of two questions from which they are one gap. Measured for the shipped model on 527 questions in 147 groups
# of paraphrases (tests/data/paraphrases.jsonl, docs/evaluation.md), nearly half of which have a near miss beside them:
# the best F1 for questions that name what they ask about. For short ones that do not, it would be lower; but two
# gaps that are one are seen as two, and a gap that hides in another is not seen at all.
SHIPPED_THRESHOLD: Final = 0.64
# Cosine of a stopped question and the next one from which that is the same in other words. Between visitors this would
# mix up too much; here both come from one, within two minutes. Measured on the same groups (docs/evaluation.md): it
# finds the most of what is asked again, less what is asked of a near subject.
SHIPPED_REPHRASED_THRESHOLD: Final = 0.56
# Another model's scale is unknown: nearly the same wording is asked for.
OTHER_THRESHOLD: Final = 0.9
_SHIPPED_MODEL: Final = "onnx-model."


@dataclass(frozen=True, slots=True)
class UnplacedGap:
    """A gap that was not yet compared with the others; `language` is that of the turn that gave it away."""

    id: UUID
    question: str
    language: str | None


def joins_from(model_id: str) -> float:
    """The least cosine by that model at which a gap joins another."""
    return SHIPPED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


def rephrased_from(model_id: str) -> float:
    """The least cosine by that model at which the question after a stopped one is the same in other words."""
    return SHIPPED_REPHRASED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD
