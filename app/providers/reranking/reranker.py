"""Port: scores how well texts answer one question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PairScore:
    """One text's score. `logit`, any real number, gives the order; `probability` is the same on the model's own
    calibrated scale, in [0, 1]."""

    logit: float
    probability: float


class Reranker(Protocol):
    """Reads question and text together, which no index can do."""

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that the model knows well (BCP 47 primary subtags); None if they are not known."""
        ...

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        """One score for each text, in order.

        Raises RerankerUnavailable if it fails or the budget runs out; callers then keep their order.
        """
        ...
