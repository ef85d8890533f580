"""The model that does what visitors do not read, which ranks within a time of its own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from app.agents.retrieval_settings import RerankMode
from app.bootstrap.answering import search_parts
from app.providers.reranking.reranker import PairScore
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import answering_house
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.scripted_chat_model import ScriptedChatModel


async def test_search_asks_the_helper(tmp_path: Path) -> None:
    helper = ScriptedChatModel(['{"queries": ["How long is the guarantee?"]}'])
    async with answering_house(tmp_path) as house:
        agent = await house.live_agent(extra_queries=1)
        retriever = search_parts(house.base, None, helper).fresh()
        found = await retriever.retrieve(agent, SearchQuery("How long is the warranty of a lamp?"))
    assert found.ranked
    assert len(helper.requests) == 1


class BudgetReader(OverlapReranker):
    """Remembers the time that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.budgets: set[float] = set()

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        self.budgets.add(budget_seconds)
        return await super().score(question, texts, budget_seconds=budget_seconds)


async def test_the_model_as_ranker_has_a_time_of_its_own(tmp_path: Path) -> None:
    ranker = BudgetReader()
    async with answering_house(tmp_path) as house:
        with patch("app.search.search_pipeline.ModelRanker", lambda model: ranker):
            base = replace(house.base, models=replace(house.base.models, reranker=ranker))
            retriever = search_parts(base, ScriptedChatModel()).fresh()
        budgets = {"rerank_budget_ms": 700, "model_rank_budget_ms": 9000}
        for mode, seconds in ((RerankMode.VOTE, 0.7), (RerankMode.MODEL, 9.0)):
            ranker.budgets.clear()
            agent = await house.live_agent(rerank=mode, **budgets)
            await retriever.retrieve(agent, SearchQuery("How long is the warranty of a lamp?"))
            assert seconds / 2 < max(ranker.budgets) <= seconds


@pytest.mark.parametrize("has_model", [True, False])
async def test_the_shipped_reranker_votes_where_a_chat_model_answers(tmp_path: Path, has_model: bool) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel([]) if has_model else None) as house:
        found = await house.retriever.retrieve(await house.live_agent(), SearchQuery("the warranty of a lamp"))
    assert ("rerank" in [stage["stage"] for stage in found.trace["stages"]]) is has_model
