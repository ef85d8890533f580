"""A reranker over the chat port."""

import anyio
import pytest

from app.core.errors import ModelUnavailable, RerankerUnavailable
from app.search.model_ranker import ModelRanker
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step
from tests.every_row import every_row

TEXTS = ["Postage is free.", "The office opens at nine.", "Send it back within 30 days."]


async def test_ratings_become_scores_in_the_texts_order() -> None:
    model = ScriptedChatModel(["Ratings: [7, 0, 10]"])
    low, middle, high = sorted(
        await ModelRanker(model).score("May I return it?", TEXTS, budget_seconds=1), key=lambda score: score.logit
    )
    assert [round(score.probability, 2) for score in (low, middle, high)] == [0.02, 0.69, 0.98]
    assert low.logit == pytest.approx(-high.logit)
    assert all(text in model.requests[0][1].content for text in TEXTS)


@every_row(
    "reply",
    [["[1, 2]"], ["[1, 2, 11]"], ['["a", 1, 2]'], ["none"], ["[1, 2, NaN]"], [ModelUnavailable("away")]],
    ids=["too few", "out of range", "a word", "prose", "no number", "away"],
)
async def test_what_cannot_be_read_is_a_reranker_away(reply: list[Step]) -> None:
    with pytest.raises(RerankerUnavailable):
        await ModelRanker(ScriptedChatModel(reply)).score("May I return it?", TEXTS, budget_seconds=1)


async def test_a_reply_by_its_schema_is_read() -> None:
    model = ScriptedChatModel(['{"ratings": [7, 0, 10]}'])
    scores = await ModelRanker(model).score("May I return it?", TEXTS, budget_seconds=1)
    assert [round(score.probability, 2) for score in scores] == [0.69, 0.02, 0.98]
    schema = model.requests[0][0].reply_schema
    assert schema is not None
    assert schema["required"] == ["ratings"]


async def test_its_time_is_bounded() -> None:
    with pytest.raises(RerankerUnavailable, match=r"budget of 0\.01 s"):
        await ModelRanker(ScriptedChatModel([anyio.Event()])).score("?", TEXTS, budget_seconds=0.01)


async def test_nothing_to_rank_asks_nobody() -> None:
    model = ScriptedChatModel()
    assert await ModelRanker(model).score("?", [], budget_seconds=1) == []
    assert not model.requests
