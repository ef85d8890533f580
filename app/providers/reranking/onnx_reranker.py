"""Reranker by an ONNX cross-encoder on this machine's CPU."""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from app.core.errors import RerankerUnavailable
from app.providers.onnx_session import OnnxSession, TokenRow
from app.providers.onnx_threads import OnnxThreads, ThreadsBusy, Urgency
from app.providers.reranking.reranker import PairScore


class OnnxReranker:
    """The question is cut to the config's `max_question_tokens`, the text to what then fits `max_length`. A pair's
    `probability` is Platt's sigmoid(a * logit + b), with the config's constants."""

    def __init__(self, folder: Path, threads: OnnxThreads) -> None:
        self._session = OnnxSession(folder)
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
            return await self._score_in_turn(question, texts, deadline)
        except TimeoutError as error:
            message = f"Ranking {len(texts)} texts took longer than its budget of {budget_seconds:g} s."
            raise RerankerUnavailable(message) from error
        except Exception as error:
            raise self._unavailable(error) from error

    async def _score_in_turn(self, question: str, texts: Sequence[str], deadline: float) -> list[PairScore]:
        """A pair at a time: a batch costs more, as it is padded, and its pairs share the scales of their numbers."""
        rows = await self._threads.run(lambda: self._rows(question, texts), Urgency.RANKING, deadline=deadline)
        works = [partial(self._logit, row) for row in rows]
        logits = await self._threads.run_each(works, Urgency.RANKING, deadline=deadline)
        return [PairScore(logit, self._probability(logit)) for logit in logits]

    def _rows(self, question: str, texts: Sequence[str]) -> list[TokenRow]:
        tokens, config = self._session.tokens, self._session.config
        first, separator = self._session.special_id("[CLS]"), self._session.special_id("[SEP]")
        question_ids = tokens.encode(question, has_special_tokens=False)[: config["max_question_tokens"]]
        head = [first, *question_ids, separator]
        room = int(config["max_length"]) - len(head) - 1
        return [
            TokenRow(
                [*head, *tokens.encode(text, has_special_tokens=False)[:room], separator], question_length=len(head)
            )
            for text in texts
        ]

    def _logit(self, row: TokenRow) -> float:
        return float(self._session.run(row).item())

    def _probability(self, logit: float) -> float:
        platt = self._session.config["calibration"]["pair"]
        return 1 / (1 + math.exp(-(platt["a"] * logit + platt["b"])))

    def _unavailable(self, error: Exception) -> RerankerUnavailable:
        if isinstance(error, ThreadsBusy):
            return RerankerUnavailable(f"The local reranking model is busy: {error}.")
        return RerankerUnavailable(f"The reranking model in {self._session.folder} does not run: {error}")
