"""Search as an operator sees it."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.retrieval_settings import RerankMode, RetrievalSettings
from app.core.errors import NotFound
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import SITE, AnsweringHouse, answering_house

ASKED = SearchQuery("How long may I return a lamp?")


async def test_every_chunk_says_what_each_stage_made_of_it(tmp_path: Path) -> None:
    config = AgentConfig(name="Lamps", retrieval=RetrievalSettings(rerank=RerankMode.VOTE))
    async with answering_house(tmp_path, config=config) as house:
        found = (await house.search.search(house.workspace_id, house.agent_id, ASKED)).as_json()

    best = found["chunks"][0]
    assert best["url"].startswith(f"{SITE}/returns")
    assert best["is_source"]
    assert all(best[score] is not None for score in ("order", "confidence", "cosine", "bm25", "coverage", "logit"))
    assert {stage["stage"] for stage in found["trace"]["stages"]} >= {"recall", "fusion", "rerank", "threshold"}
    assert found["trace"]["cache"] == "absent"


async def test_it_says_whether_a_turn_would_be_served_from_the_cache(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await house.ask(ASKED.text)
        asked = replace(ASKED, page_url=f"{SITE}/")  # where the question was asked
        report = await house.search.search(house.workspace_id, house.agent_id, asked)
    assert report.was_remembered
    assert report.retrieval.trace["stages"]  # and ranked afresh all the same


async def test_a_draft_can_be_tried_before_it_is_published(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await _draft(house, confidence_threshold=0.99)
        live = await house.search.search(house.workspace_id, house.agent_id, ASKED)
        draft = await house.search.search(house.workspace_id, house.agent_id, ASKED, "draft")
    assert not live.retrieval.is_low_confidence
    assert draft.retrieval.is_low_confidence
    assert [item.chunk.id for item in draft.retrieval.ranked] == [item.chunk.id for item in live.retrieval.ranked]


@pytest.mark.parametrize("version", ["live", "draft"])
async def test_another_workspaces_agent_is_not_there(tmp_path: Path, version: str) -> None:
    async with answering_house(tmp_path) as house:
        with pytest.raises(NotFound):
            await house.search.search(uuid4(), house.agent_id, ASKED, "live" if version == "live" else "draft")


async def _draft(house: AnsweringHouse, confidence_threshold: float) -> None:
    with house.record.writing() as tx:
        agent = AgentRecords(tx).agent(house.workspace_id, house.agent_id)
        AgentRecords(tx).save_draft(
            house.workspace_id, house.agent_id, replace(agent.draft, confidence_threshold=confidence_threshold)
        )
