"""Reranker by an ONNX cross-encoder on this machine's CPU."""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from app.core.errors import RerankerUnavailable
from app.providers.onnx_session import OnnxSession, TokenRow
from app.providers.onnx_threads import OnnxThreads, ThreadsBusy, Urgency
from app.providers.reranking.reranker import PairScore

_BATCH: Final = 6  # pairs at a time: a larger batch is slower, and the deadline is checked between batches


class OnnxReranker:
    """The question is cut to the config's `max_question_tokens`, the text to what then fits `max_length`.

    `probability` is Platt's sigmoid(a * logit + b) with the config's constants for a pair.
    """

    def __init__(self, folder: Path, threads: OnnxThreads, *, cores: int | None = None) -> None:
        self._session = OnnxSession(folder, cores=cores)
        self._threads = threads

    async def open(self) -> None:
        """Load the model now rather than with the first question. Raises RerankerUnavailable."""
        try:
            await self._threads.run(self._session.open, Urgency.RANKING)
        except Exception as error:
            raise self._unavailable(error) from error

    @property
    def reads(self) -> frozenset[str]:
        return frozenset({self._session.config["language"]})

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if not texts:
            return []
        if not self._session.is_open:
            await self.open()  # once, and the budget is for reading
        deadline = time.monotonic() + budget_seconds
        try:
            return await self._score_by_length(question, texts, deadline)
        except TimeoutError as error:
            message = f"Ranking {len(texts)} texts took longer than its budget of {budget_seconds:g} s."
            raise RerankerUnavailable(message) from error
        except Exception as error:
            raise self._unavailable(error) from error

    async def _score_by_length(self, question: str, texts: Sequence[str], deadline: float) -> list[PairScore]:
        """Pairs of similar length share a batch, so that little of it is padding."""
        rows = await self._threads.run(lambda: self._rows(question, texts), Urgency.RANKING, deadline=deadline)
        logits = [0.0] * len(rows)
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        for start in range(0, len(order), _BATCH):
            numbers = order[start : start + _BATCH]
            batch = [rows[number] for number in numbers]
            work = partial(self._logits, batch)
            scored = await self._threads.run(work, Urgency.RANKING, deadline=deadline)
            for number, logit in zip(numbers, scored, strict=True):
                logits[number] = logit
        return [PairScore(logit, self._probability(logit)) for logit in logits]

    def _rows(self, question: str, texts: Sequence[str]) -> list[TokenRow]:
        tokens, config = self._session.tokens, self._session.config
        first, separator = self._session.special_id("[CLS]"), self._session.special_id("[SEP]")
        asked = tokens.encode(question, has_special_tokens=False)[: config["max_question_tokens"]]
        head = [first, *asked, separator]
        room = int(config["max_length"]) - len(head) - 1
        return [
            TokenRow(
                [*head, *tokens.encode(text, has_special_tokens=False)[:room], separator], question_length=len(head)
            )
            for text in texts
        ]

    def _logits(self, rows: Sequence[TokenRow]) -> list[float]:
        logits: list[float] = self._session.run(rows).reshape(-1).tolist()
        return logits

    def _probability(self, logit: float) -> float:
        platt = self._session.config["calibration"]["pair"]
        return 1 / (1 + math.exp(-(platt["a"] * logit + platt["b"])))

    def _unavailable(self, error: Exception) -> RerankerUnavailable:
        if isinstance(error, ThreadsBusy):
            return RerankerUnavailable(f"The local reranking model is busy: {error}.")
        return RerankerUnavailable(f"The reranking model in {self._session.folder} does not run: {error}")
