"""Port: scores how well texts answer one question."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.core.errors import RerankerUnavailable


@dataclass(frozen=True, slots=True)
class PairScore:
    """A text's score. `logit`, any real number, gives the order; `probability` is the same on the model's own
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


_LEARNING_RATE: Final = 0.3  # the weight of the latest ranking in the expected time per letter
_FEWEST_LETTERS: Final = 400  # fewer are no measure of the time per letter
_MOST_LETTERS: Final = 1_500  # of question and text together; models read no more
_SHARE: Final = 0.5  # of the budget for the expected time; the rest is for wrong expectations

_FEWEST_AHEAD: Final = 4  # on a slow machine, a few visitors get an answer without a ranking rather than none
_FULL_SECONDS: Final = 0.4  # ahead: questions that search now will add theirs, up to half of a budget of 1.5 s


class SheddingReranker:
    """Refuses at once a ranking that could not end in time.

    Rankings that share a model in turns all take as long as the slowest, and above its capacity every one exceeds its
    budget and none is of use. So they run one after the other, and one that cannot be served in time is refused before
    any work is done.

    `places` rankings at once, in the order of the calls. The time per letter of recent ones predicts how long those
    ahead will take. A ranking with none ahead of it is never refused, so that it learns again after a slow moment."""

    def __init__(self, reranker: Reranker, *, places: int = 1, now: Callable[[], float] = time.monotonic) -> None:
        self._reranker = reranker
        self._places = places
        self._now = now
        self._free = asyncio.Semaphore(places)
        self._ahead = 0
        self._letters_ahead = 0
        self._seconds_a_letter = 0.0

    @property
    def reads(self) -> frozenset[str] | None:
        return self._reranker.reads

    @property
    def is_full(self) -> bool:
        """Whether a question that began now would probably find its ranking refused, because of many others."""
        return self._ahead >= _FEWEST_AHEAD and self._expected(0) > _FULL_SECONDS

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if not texts:
            return []
        letters = sum(min(_MOST_LETTERS, len(question) + len(text)) for text in texts)
        expected = self._expected(letters)
        if self._letters_ahead and expected > budget_seconds * _SHARE:
            message = f"The reranker is busy: {expected:.1f} s are expected, of a budget of {budget_seconds:g} s."
            raise RerankerUnavailable(message)
        self._ahead += 1
        self._letters_ahead += letters
        try:
            return await self._score_in_turn(question, texts, letters, self._now() + budget_seconds)
        finally:
            self._ahead -= 1
            self._letters_ahead -= letters

    async def _score_in_turn(
        self, question: str, texts: Sequence[str], letters: int, deadline: float
    ) -> list[PairScore]:
        try:
            async with asyncio.timeout(max(0.0, deadline - self._now())):
                await self._free.acquire()
        except TimeoutError as error:
            raise RerankerUnavailable("The reranker is busy: the budget ran out before its turn came.") from error
        begun = self._now()
        try:
            scores = await self._reranker.score(question, texts, budget_seconds=deadline - begun)
        except RerankerUnavailable:
            if self._now() >= deadline:  # it took at least so long; an immediate failure is no measure
                self._learn(letters, self._now() - begun)
            raise
        finally:
            self._free.release()
        self._learn(letters, self._now() - begun)
        return scores

    def _expected(self, letters: int) -> float:
        """For how many seconds a ranking of that many letters, and those ahead of it, would take."""
        return (self._letters_ahead / self._places + letters) * self._seconds_a_letter

    def _learn(self, letters: int, seconds: float) -> None:
        if letters < _FEWEST_LETTERS:
            return
        share = _LEARNING_RATE if self._seconds_a_letter else 1.0
        self._seconds_a_letter += share * (seconds / letters - self._seconds_a_letter)
