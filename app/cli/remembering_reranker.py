"""A Reranker that reads a pair once, for runs that ask the same questions under many settings."""

from collections.abc import Sequence

from app.ports.reranker import PairScore, Reranker


class RememberingReranker:
    """Keeps every score of `inner` for as long as it lives."""

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str], PairScore] = {}

    @property
    def reads(self) -> frozenset[str] | None:
        return self._inner.reads

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        fresh = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
        scores = await self._inner.score(question, fresh, budget_seconds=budget_seconds)
        self._known |= {(question, text): score for text, score in zip(fresh, scores, strict=True)}
        return [self._known[question, text] for text in texts]
