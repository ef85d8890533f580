"""Reranker: one that is left alone while it is away."""

from collections.abc import Sequence

from app.core.errors import RerankerUnavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.providers.reranking.reranker import PairScore, Reranker


class CircuitReranker:
    """Taking longer than the budget is a failure too: nobody should wait for the same thing again and again."""

    def __init__(self, reranker: Reranker, circuit: CircuitBreaker) -> None:
        self._reranker = reranker
        self._circuit = circuit

    @property
    def reads(self) -> frozenset[str] | None:
        return self._reranker.reads

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        try:
            with self._circuit.call(RerankerUnavailable):
                return await self._reranker.score(question, texts, budget_seconds=budget_seconds)
        except CircuitOpen as error:
            raise RerankerUnavailable(str(error)) from error
