"""A second, cheaper model does what visitors do not read."""

from pathlib import Path

from app.answering.retrieval import SearchQuery
from app.answering.search_pipeline import SearchParts
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.whole_words import WholeWords


async def test_search_asks_the_helper_and_not_the_model(tmp_path: Path) -> None:
    model, helper = ScriptedChatModel(), ScriptedChatModel(['{"queries": ["How long is the guarantee?"]}'])
    async with answering_house(tmp_path) as house:
        parts = SearchParts(
            house.record, house.embedder, WholeWords(), house.vectors, house.keywords, house.reranker, house.clock,
            model, helper,
        )  # fmt: skip
        agent = await house.live_agent(extra_queries=1)
        found = await parts.fresh().retrieve(agent, SearchQuery("How long is the warranty of a lamp?"))
    assert found.ranked
    assert (len(model.requests), len(helper.requests)) == (0, 1)
