"""Whatever befell the indexes, the system of record puts it right."""

from uuid import UUID, uuid4

import pytest

from app.core.errors import EmbedderUnavailable, IndexUnavailable
from app.knowledge.reconcile import ReconcileReport
from app.providers.indexes.search_indexes import ChunkTerms, ChunkVector
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words


@pytest.fixture
async def learnt(house: KnowledgeHouse) -> KnowledgeHouse:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "other")))
    return house


async def test_where_all_is_well_nothing_is_written(learnt: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unexpected(*_: object) -> None:
        raise AssertionError("nothing is to be written")

    for index in (learnt.vectors, learnt.keywords):
        monkeypatch.setattr(index, "put", unexpected)
        monkeypatch.setattr(index, "drop_versions", unexpected)

    report = await learnt.reconcile.all_agents()

    assert report.was_clean
    assert report.agents == 1


async def test_lost_indexes_are_filled_again_without_embedding_anew(learnt: KnowledgeHouse) -> None:
    embedded = len(learnt.embedder.embedded)
    await learnt.vectors.drop_agent(learnt.agent_id)
    await learnt.keywords.drop_agent(learnt.agent_id)

    report = await learnt.reconcile.all_agents()

    assert report == ReconcileReport(agents=1, missing=2 * 5)
    assert len(learnt.embedder.embedded) == embedded
    await learnt.assert_in_step()


async def test_rows_that_nothing_stands_behind_are_dropped(learnt: KnowledgeHouse) -> None:
    somewhere = [1.0] + [0.0] * 255
    await learnt.vectors.put(learnt.agent_id, [ChunkVector("stray", uuid4(), somewhere)])
    await learnt.keywords.put(learnt.agent_id, None, [ChunkTerms("stray", uuid4(), "Stray", "stray words")])

    report = await learnt.reconcile.all_agents()

    assert report == ReconcileReport(agents=1, orphans=2)
    await learnt.assert_in_step()


async def test_rows_of_a_source_that_was_deleted_before_a_crash_are_dropped(learnt: KnowledgeHouse) -> None:
    with learnt.record.writing() as tx:
        SourceRecords(tx).delete(learnt.agent_id, learnt.source.id)

    await learnt.reconcile.all_agents()

    assert await learnt.vectors.chunk_ids(learnt.agent_id) == set()
    await learnt.assert_in_step()


async def test_rows_of_a_version_that_is_being_indexed_are_left_alone(learnt: KnowledgeHouse) -> None:
    learnt.keywords.is_down = True
    with pytest.raises(IndexUnavailable):
        await learnt.ingest.learn(learnt.agent_id, learnt.source.id, page("/c", words(15, "pending")))
    learnt.keywords.is_down = False

    report = await learnt.reconcile.agent(learnt.agent_id)

    assert report.was_clean
    assert len(await learnt.vectors.chunk_ids(learnt.agent_id)) == 6


async def test_an_agent_that_the_record_lacks_is_forgotten(learnt: KnowledgeHouse) -> None:
    stranger = UUID(int=7)
    await learnt.vectors.put(stranger, [ChunkVector("stray", uuid4(), [1.0] + [0.0] * 255)])

    report = await learnt.reconcile.all_agents()

    assert report == ReconcileReport(agents=1, forgotten=1)
    assert await learnt.vectors.agent_ids() == {learnt.agent_id}


async def test_an_index_that_cannot_be_searched_is_built_anew(
    learnt: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise IndexUnavailable("It is of another language.")

    monkeypatch.setattr(learnt.keywords, "search", refuse)

    assert (await learnt.reconcile.agent(learnt.agent_id)).missing == 5
    await learnt.assert_in_step()


async def test_a_version_that_cannot_be_finished_now_waits(house: KnowledgeHouse) -> None:
    house.embedder.is_down = True
    with pytest.raises(EmbedderUnavailable):
        await house.ingest.learn(house.agent_id, house.source.id, page())

    assert await house.reconcile.all_agents() == ReconcileReport(agents=1, left=1)
    house.embedder.is_down = False
    assert (await house.reconcile.all_agents()).finished == 1

    assert " ".join(await house.live_texts()) == words(45)
    await house.assert_in_step()


async def test_reindexing_rebuilds_what_the_record_says(learnt: KnowledgeHouse) -> None:
    other = await learnt.add_source(SourceConfig(kinds.TEXT, "Note", text="x"))
    await learnt.ingest.learn(learnt.agent_id, other.id, page("/note", words(15, "note")))
    await learnt.vectors.put(learnt.agent_id, [ChunkVector("stray", uuid4(), [1.0] + [0.0] * 255)])

    steps = [progress async for progress in learnt.reindex.all_agents()]

    assert [(step.done, step.total, step.embedded) for step in steps] == [(0, 6, 0), (6, 6, 0)]
    await learnt.assert_in_step()
