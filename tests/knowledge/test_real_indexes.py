"""The room over LanceDB and tantivy: what holds for the doubles holds for them."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.knowledge.reconcile import ReconcileReport
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from app.providers.indexes.search_indexes import ChunkTerms, ChunkVector
from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words


@pytest.fixture
async def learnt(house: KnowledgeHouse, tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    vectors = LanceDBVectorIndex(str(tmp_path / "vectors"), model_id="hashing", dimensions=256)
    keywords = TantivyKeywordIndex(tmp_path / "keywords")
    house.vectors = vectors  # type: ignore[assignment]
    house.keywords = keywords  # type: ignore[assignment]
    await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "other")))
    yield house
    await vectors.close()
    await keywords.close()


async def test_learning_changing_and_retiring_keep_the_stores_in_step(learnt: KnowledgeHouse) -> None:
    await learnt.assert_in_step()
    await learnt.ingest.learn(learnt.agent_id, learnt.source.id, page("/a", words(25, "fresh")))
    await learnt.retire.page(learnt.agent_id, learnt.source.id, "https://shop.example/b")

    assert " ".join(await learnt.live_texts()) == words(25, "fresh")
    await learnt.assert_in_step()
    assert (await learnt.reconcile.all_agents()).was_clean


async def test_stray_rows_are_dropped_and_lost_folders_filled(learnt: KnowledgeHouse, tmp_path: Path) -> None:
    stray = ChunkVector("stray", uuid4(), [1.0] + [0.0] * 255)
    await learnt.vectors.put(learnt.agent_id, [stray])
    await learnt.keywords.put(learnt.agent_id, None, [ChunkTerms("stray", uuid4(), "Stray", "stray words")])
    assert await learnt.reconcile.all_agents() == ReconcileReport(agents=1, orphans=2)
    await learnt.assert_in_step()

    shutil.rmtree(tmp_path / "vectors")
    shutil.rmtree(tmp_path / "keywords")
    assert await learnt.reconcile.all_agents() == ReconcileReport(agents=1, missing=2 * 5)
    await learnt.assert_in_step()


async def test_another_language_has_the_keywords_built_for_it(learnt: KnowledgeHouse) -> None:
    with learnt.record.writing() as tx:
        AgentRecords(tx).save_draft(learnt.workspace_id, learnt.agent_id, AgentConfig(name="Hilfe", language="de"))
        AgentRecords(tx).publish(learnt.workspace_id, learnt.agent_id)

    report = await learnt.reconcile.agent(learnt.agent_id)

    assert report == ReconcileReport(agents=1, missing=5)
    assert await learnt.keywords.search(learnt.agent_id, "de", "other3", 5)
    await learnt.assert_in_step()
