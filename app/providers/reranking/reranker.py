"""Port: how well texts answer one question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PairScore:
    """One text's score. `logit` orders (any real number); `probability` is the same on the model's own calibrated
    scale, [0, 1]."""

    logit: float
    probability: float


class Reranker(Protocol):
    """Reads question and text together, which no index can."""

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that the model knows well (BCP 47 primary subtags); None: no language is known to be
        foreign to it."""
        ...

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        """One score for each text, in order.

        Raises RerankerUnavailable when it fails or the budget runs out; callers then keep the order they have.
        """
        ...
