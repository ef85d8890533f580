"""A second machine's keywords: what a worker learns on the first one is found there, and what is gone is gone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import IndexUnavailable
from app.knowledge.followed_keyword_index import FollowedKeywordIndex
from app.knowledge.records.contexts import ContextRecords
from app.providers.indexes.search_indexes import ChunkTerms
from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex
from app.sources.deletions.deletion import DeletedKind
from app.sources.deletions.records import DeletionRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words


class SecondMachine(MemoryKeywordIndex):
    """Counts what it is given; while `is_held`, nothing is put."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []
        self.may_put = asyncio.Event()
        self.may_put.set()

    async def put(self, agent_id, language, rows) -> None:  # type: ignore[no-untyped-def]
        await self.may_put.wait()
        self.written += [row.chunk_id for row in rows]
        await super().put(agent_id, language, rows)


@pytest.fixture
def local() -> SecondMachine:
    return SecondMachine()


@pytest.fixture
async def followed(house: KnowledgeHouse, local: SecondMachine) -> AsyncIterator[FollowedKeywordIndex]:
    index = FollowedKeywordIndex(local, house.record, wait_seconds=30, rewrite_pause_seconds=0)
    yield index
    await index.close()


async def found(index: FollowedKeywordIndex, house: KnowledgeHouse, question: str) -> int:
    return len(await index.search(house.agent_id, None, question, 50))


async def test_what_was_learnt_elsewhere_is_found(house: KnowledgeHouse, followed: FollowedKeywordIndex) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    assert await found(followed, house, "lamp3") == 1
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "shade")))
    assert await found(followed, house, "shade3") == 1
    assert await followed.complete(house.agent_id, None, "shade2", 5)
    assert max(await followed.coverage(house.agent_id, None, "shade3", ["shade3"])) > 0


async def test_only_the_first_weighing_of_words_asks_the_record(
    house: KnowledgeHouse, followed: FollowedKeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    assert max(await followed.coverage(house.agent_id, None, "lamp3", ["lamp3"])) > 0

    def refuse(_: UUID) -> SystemOfRecord:
        raise AssertionError

    monkeypatch.setattr(house.record, "of_agent", refuse)
    assert max(await followed.coverage(house.agent_id, None, "lamp3", ["lamp3"])) > 0
    with pytest.raises(AssertionError):
        await found(followed, house, "lamp3")


async def test_only_what_changed_is_written(
    house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
    await found(followed, house, "word1")
    local.written.clear()
    await found(followed, house, "word1")
    assert local.written == []
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(15, "other")))
    await found(followed, house, "word1")
    assert len(local.written) == 1


async def test_a_changed_page_replaces_its_words(house: KnowledgeHouse, followed: FollowedKeywordIndex) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    await found(followed, house, "lamp3")
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "shade")))
    assert (await found(followed, house, "lamp3"), await found(followed, house, "shade3")) == (0, 1)


async def test_a_machine_that_was_away_drops_what_it_missed_and_keeps_what_it_has(
    house: KnowledgeHouse, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "shade")))
    before = FollowedKeywordIndex(local, house.record, wait_seconds=30)
    await found(before, house, "lamp3")
    await house.retire.page(house.agent_id, house.source.id, "https://shop.example/b")
    await local.put(house.agent_id, None, [ChunkTerms("stray", uuid4(), "", "stray1")])
    local.written.clear()
    restarted = FollowedKeywordIndex(local, house.record, wait_seconds=30)
    assert [await found(restarted, house, question) for question in ("lamp3", "shade3", "stray1")] == [1, 0, 0]
    assert await local.chunk_ids(house.agent_id) == await house.live_ids()
    assert not set(local.written) & await house.live_ids()


async def test_a_version_that_this_machine_is_indexing_is_left_alone(
    house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    house.keywords.is_down = True
    with pytest.raises(IndexUnavailable):
        await house.ingest.learn(house.agent_id, house.source.id, page("/c", words(15, "pending")))
    pending = (await house.vectors.chunk_ids(house.agent_id)) - await house.live_ids()
    await local.put(house.agent_id, None, [ChunkTerms(chunk_id, uuid4(), "", "pending1") for chunk_id in pending])
    assert await found(followed, house, "lamp3") == 1
    assert pending <= await local.chunk_ids(house.agent_id)


async def test_contexts_written_later_are_searched(house: KnowledgeHouse, followed: FollowedKeywordIndex) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(15, "lamp")))
    assert await found(followed, house, "chandelier") == 0
    [chunk_id] = await house.live_ids()
    with house.record.writing() as tx:
        [version_id] = ContextRecords(tx).live_versions(house.agent_id)
        ContextRecords(tx).set_indexed(version_id, {chunk_id: "chandelier"})
        AgentRecords(tx).bump_generation(house.agent_id)
    assert await found(followed, house, "chandelier") == 1


async def test_while_a_first_search_waits_too_long_vectors_answer_alone(
    house: KnowledgeHouse, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    local.may_put.clear()
    impatient = FollowedKeywordIndex(local, house.record, wait_seconds=0.01)
    with pytest.raises(IndexUnavailable, match="being written on this machine"):
        await found(impatient, house, "lamp3")
    local.may_put.set()
    await asyncio.wait_for(_until_found(impatient, house), 30)
    await impatient.close()


async def _until_found(index: FollowedKeywordIndex, house: KnowledgeHouse) -> None:
    while True:
        try:
            assert await found(index, house, "lamp3") == 1
            return
        except IndexUnavailable:
            await asyncio.sleep(0)


async def test_searches_at_once_fill_it_once(
    house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    await asyncio.gather(*(found(followed, house, "word1") for _ in range(20)))
    assert sorted(local.written) == sorted(await house.live_ids())


async def test_an_index_that_fails_says_so_and_is_filled_anew(
    house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
    await found(followed, house, "lamp3")
    local.is_down = True
    with pytest.raises(IndexUnavailable):
        await found(followed, house, "lamp3")
    local.is_down = False
    await local.drop_agent(house.agent_id)
    assert await found(followed, house, "lamp3") == 1


async def test_following_waits_as_long_as_it_takes(house: KnowledgeHouse, local: SecondMachine) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    local.may_put.clear()
    impatient = FollowedKeywordIndex(local, house.record, wait_seconds=0.01)
    following = asyncio.create_task(impatient.follow(house.agent_id))
    with pytest.raises(IndexUnavailable):
        await found(impatient, house, "word1")
    assert not following.done()
    local.may_put.set()
    await following
    assert await local.chunk_ids(house.agent_id) == await house.live_ids()


class TestSweep:
    async def test_agents_that_nobody_asks_follow_too(
        self, house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
    ) -> None:
        await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
        await found(followed, house, "lamp3")
        await house.retire.page(house.agent_id, house.source.id, "https://shop.example/a")
        await followed.sweep()
        assert await local.chunk_ids(house.agent_id) == set()

    async def test_an_agent_that_was_deleted_leaves_this_machine(
        self, house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
    ) -> None:
        await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
        await found(followed, house, "word1")
        with house.record.writing() as tx:
            DeletionRecords(tx).erase(house.workspace_id, DeletedKind.AGENT, house.agent_id)
        await followed.sweep()
        assert await local.agent_ids() == set()

    async def test_what_was_learnt_here_and_deleted_elsewhere_before_anybody_asked_goes(
        self, house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
    ) -> None:
        await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
        assert await found(followed, house, "lamp3") == 1
        await local.put(house.agent_id, None, [ChunkTerms("deleted", uuid4(), "", "secret3")])
        await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "shade")))
        await followed.sweep()
        assert await local.chunk_ids(house.agent_id) == await house.live_ids()

    async def test_what_is_being_indexed_stays(
        self, house: KnowledgeHouse, followed: FollowedKeywordIndex, local: SecondMachine
    ) -> None:
        await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
        await local.put(house.agent_id, None, [ChunkTerms("deleted", uuid4(), "", "secret3")])
        house.keywords.is_down = True
        with pytest.raises(IndexUnavailable):
            await house.ingest.learn(house.agent_id, house.source.id, page("/c", words(15, "pending")))
        pending = (await house.vectors.chunk_ids(house.agent_id)) - await house.live_ids()
        await local.put(house.agent_id, None, [ChunkTerms(chunk_id, uuid4(), "", "pending1") for chunk_id in pending])
        await followed.sweep()
        assert await local.chunk_ids(house.agent_id) == await house.live_ids() | pending

    async def test_no_file_keeps_a_word_of_what_is_gone(self, house: KnowledgeHouse, tmp_path: Path) -> None:
        local = TantivyKeywordIndex(tmp_path / "keywords")
        followed = FollowedKeywordIndex(local, house.record, wait_seconds=30, rewrite_pause_seconds=0)
        await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
        await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "secret")))
        assert await found(followed, house, "secret") > 0
        await house.retire.page(house.agent_id, house.source.id, "https://shop.example/b")
        await followed.sweep()
        assert await found(followed, house, "secret") == 0
        assert await found(followed, house, "lamp") > 0
        held = b"".join(file.read_bytes() for file in (tmp_path / "keywords").rglob("*") if file.is_file())
        assert b"secret3" not in held
        await followed.close()
        await local.close()


async def test_another_language_starts_the_index_anew(house: KnowledgeHouse, tmp_path: Path) -> None:
    local = TantivyKeywordIndex(tmp_path / "keywords")
    followed = FollowedKeywordIndex(local, house.record, wait_seconds=30)
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", "Die Lampen sind heute hell. " * 5))
    assert await followed.search(house.agent_id, None, "Lampen", 5)
    with house.record.writing() as tx:
        agents = AgentRecords(tx)
        agents.save_draft(house.workspace_id, house.agent_id, AgentConfig(name="Help", language="de"))
        agents.publish(house.workspace_id, house.agent_id)
    assert await followed.search(house.agent_id, "de", "Lampe", 5)
    await followed.close()
    await local.close()
