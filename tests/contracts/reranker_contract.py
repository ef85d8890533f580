"""What every Reranker promises."""

import pytest

from app.core.errors import RerankerUnavailable
from app.providers.reranking.reranker import Reranker

AMPLE_SECONDS = 60.0


class RerankerContract:
    """A subclass gives the fixture `reranker`."""

    async def test_the_text_that_answers_scores_highest(self, reranker: Reranker) -> None:
        texts = [
            "The office is closed on Sunday.",
            "To get a refund for an order, open Orders and choose Refund.",
            "Change your password under Settings.",
        ]

        scores = await reranker.score("How do I get a refund for an order?", texts, budget_seconds=AMPLE_SECONDS)

        assert len(scores) == 3
        assert max(scores, key=lambda score: score.logit) == scores[1]

    async def test_probability_orders_as_the_logit_does(self, reranker: Reranker) -> None:
        texts = [f"{'refund ' * (n % 5)} page {n}" for n in range(20)]

        scores = await reranker.score("refund page", texts, budget_seconds=AMPLE_SECONDS)

        assert all(0 <= score.probability <= 1 for score in scores)
        by_logit = sorted(scores, key=lambda score: score.logit)
        assert by_logit == sorted(by_logit, key=lambda score: score.probability)

    @pytest.mark.parametrize("question", ["", "   ", "why " * 3_000, "中文", "\x00 \ud800"])
    async def test_any_question_and_text_is_scored(self, reranker: Reranker, question: str) -> None:
        texts = ["", "word " * 3_000, "\x00 \ud800"]

        assert len(await reranker.score(question, texts, budget_seconds=AMPLE_SECONDS)) == 3

    async def test_no_texts_have_no_scores(self, reranker: Reranker) -> None:
        assert await reranker.score("refund", [], budget_seconds=AMPLE_SECONDS) == []

    async def test_a_spent_budget_is_an_error(self, reranker: Reranker) -> None:
        with pytest.raises(RerankerUnavailable):
            await reranker.score("refund", ["a text"], budget_seconds=0.0)
