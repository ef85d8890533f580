"""What was deleted leaves both indexes and their files; its receipt says what each store held and holds."""

import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.records import AgentRecords
from app.core.errors import IndexUnavailable
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from app.providers.indexes.search_indexes import ChunkTerms
from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState, StoreCounts
from app.sources.deletions.records import DeletionRecords
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words

SECRET, KEPT = "hush", "kept"


async def delete(house: KnowledgeHouse, kind: DeletedKind, subject_id: UUID) -> Deletion:
    return await house.record.write(lambda tx: DeletionRecords(tx).erase(house.workspace_id, kind, subject_id))


async def receipt(house: KnowledgeHouse, deletion: Deletion) -> Deletion:
    return await house.record.read(lambda tx: DeletionRecords(tx).deletion(house.workspace_id, deletion.id))


async def two_pages(house: KnowledgeHouse) -> UUID:
    """One of 3 chunks, whose document is returned, and one of 5 chunks."""
    learnt = await house.ingest.learn(house.agent_id, house.source.id, page("/secret", words(45, SECRET)))
    await house.ingest.learn(house.agent_id, house.source.id, page("/kept", words(85, KEPT)))
    assert learnt.document_id is not None
    return learnt.document_id


async def test_a_deleted_page_is_counted_before_and_verified_after(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)

    deletion = await delete(house, DeletedKind.DOCUMENT, document_id)

    assert deletion.state is DeletionState.PENDING
    assert deletion.name == "https://shop.example/secret"
    assert (deletion.before, deletion.after) == (StoreCounts(1, 1, 3, 3), StoreCounts())
    assert not [text for text in await house.live_texts() if SECRET in text]  # at once

    await house.deletions.agent(house.agent_id)

    verified = await receipt(house, deletion)
    assert verified.state is DeletionState.VERIFIED
    assert verified.verified_at == house.clock.now()
    assert verified.before == StoreCounts(1, 1, 3, 3, vectors=3, keywords=3)
    assert verified.after == StoreCounts(vectors=0, keywords=0)
    await house.assert_in_step()
    assert " ".join(await house.live_texts()) == words(85, KEPT)


async def test_a_deleted_source_takes_all_its_pages(house: KnowledgeHouse) -> None:
    await two_pages(house)
    other = await house.add_source(SourceConfig(kinds.TEXT, "Note", text="x"))
    await house.ingest.learn(house.agent_id, other.id, page("/note", words(25, "note")))

    deletion = await delete(house, DeletedKind.SOURCE, house.source.id)
    await house.deletions.all_agents()

    assert (await receipt(house, deletion)).before == StoreCounts(2, 2, 8, 8, vectors=8, keywords=8)
    assert " ".join(await house.live_texts()) == words(25, "note")
    await house.assert_in_step()


async def test_a_deleted_agent_leaves_nothing(house: KnowledgeHouse) -> None:
    await two_pages(house)

    deletion = await delete(house, DeletedKind.AGENT, house.agent_id)
    await house.deletions.all_agents()

    verified = await receipt(house, deletion)
    assert (verified.state, verified.name) == (DeletionState.VERIFIED, "Help")
    assert verified.before == StoreCounts(2, 2, 8, 8, vectors=8, keywords=8)
    assert verified.after == StoreCounts(vectors=0, keywords=0)
    assert await house.vectors.chunk_ids(house.agent_id) == await house.keywords.chunk_ids(house.agent_id) == set()


async def test_a_vector_that_another_page_needs_stays_in_the_cache(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)
    elsewhere = await house.add_source(SourceConfig(kinds.SITE, "Other", url="https://other.example/"))
    with house.record.writing() as tx:
        other = AgentRecords(tx).create(house.workspace_id, AgentRecords(tx).agent(
            house.workspace_id, house.agent_id).draft)  # fmt: skip
        source = SourceRecords(tx).create(other.id, elsewhere.config)
    await house.ingest.learn(other.id, source.id, page("/secret", words(45, SECRET)))

    deletion = await delete(house, DeletedKind.DOCUMENT, document_id)

    assert (deletion.before.chunks, deletion.before.embeddings) == (3, 0)


async def test_a_receipt_waits_for_an_index_that_is_away_and_is_finished_later(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)
    deletion = await delete(house, DeletedKind.DOCUMENT, document_id)
    house.keywords.is_down = True
    with pytest.raises(IndexUnavailable):
        await house.deletions.agent(house.agent_id)
    assert (await receipt(house, deletion)).state is DeletionState.PENDING

    house.keywords.is_down = False
    await house.deletions.agent(house.agent_id)
    await house.deletions.agent(house.agent_id)

    assert (await receipt(house, deletion)).state is DeletionState.VERIFIED
    await house.assert_in_step()


async def test_a_machine_that_still_holds_what_another_one_deleted_finishes_too(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)
    await house.keywords.put(house.agent_id, None, [ChunkTerms("deleted elsewhere", uuid4(), "", SECRET)])
    deletion = await delete(house, DeletedKind.DOCUMENT, document_id)

    await house.deletions.agent(house.agent_id)

    assert (await receipt(house, deletion)).state is DeletionState.VERIFIED
    await house.assert_in_step()


async def test_the_first_count_stands_when_the_rest_is_repeated(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)
    deletion = await delete(house, DeletedKind.DOCUMENT, document_id)
    with house.record.writing() as tx:
        DeletionRecords(tx).count_in_indexes(deletion.id, 3, 3)
    await house.vectors.drop_versions(house.agent_id, deletion.version_ids)  # and here the worker died

    await house.deletions.agent(house.agent_id)

    assert (await receipt(house, deletion)).before.vectors == 3


async def test_a_page_that_is_being_indexed_meanwhile_is_not_lost(house: KnowledgeHouse) -> None:
    document_id = await two_pages(house)
    await delete(house, DeletedKind.DOCUMENT, document_id)
    rewrite, refused = house.keywords.rewrite, []

    async def learn_first(agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> bool:
        await house.ingest.learn(house.agent_id, house.source.id, page("/late", words(25, "late")))
        is_written = await rewrite(agent_id, language, rows)
        refused.append(not is_written)
        return is_written

    house.keywords.rewrite = learn_first  # type: ignore[method-assign]
    await house.deletions.agent(house.agent_id)

    assert refused == [True, False]
    assert words(25, "late") in " ".join(await house.live_texts())
    await house.assert_in_step()


@pytest.fixture
async def on_disk(house: KnowledgeHouse, tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    vectors = LanceDBVectorIndex(str(tmp_path / "vectors"), model_id="hashing", dimensions=256)
    keywords = TantivyKeywordIndex(tmp_path / "keywords")
    house.vectors, house.keywords = vectors, keywords  # type: ignore[assignment]
    yield house
    await vectors.close()
    await keywords.close()


def files_with(folder: Path, marker: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and marker in path.read_bytes()]


def segment_files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*.*") if path.is_file() and path.suffix in (".term", ".store", ".idx")}


async def test_no_byte_of_a_deleted_page_is_left_in_any_file(on_disk: KnowledgeHouse, tmp_path: Path) -> None:
    house = on_disk
    for number in range(40):  # one page among many: compaction alone would leave it where it lies
        await house.ingest.learn(house.agent_id, house.source.id, page(f"/{number}", words(25, f"{KEPT}{number}x")))
    await house.vectors.compact()
    learnt = await house.ingest.learn(house.agent_id, house.source.id, page("/secret", SECRET))
    assert learnt.document_id is not None
    with house.record.reading() as tx:
        [chunk] = [c for c in LiveDocumentRecords(tx).agent_chunks(house.agent_id) if SECRET in c.searchable_text]
    await house.vectors.compact()  # now all of them lie in one file
    markers = {
        tmp_path / "vectors": [str(chunk.document_version_id).encode(), chunk.id.encode()],
        tmp_path / "keywords": [chunk.id.encode()],
    }
    segments = segment_files(tmp_path / "keywords")
    for folder, texts in markers.items():
        for text in texts:
            assert files_with(folder, text), text  # else their absence below would prove nothing

    deletion = await delete(house, DeletedKind.DOCUMENT, learnt.document_id)
    await house.deletions.agent(house.agent_id)

    assert (await receipt(house, deletion)).state is DeletionState.VERIFIED
    for folder, texts in markers.items():
        for text in texts:
            assert files_with(folder, text) == [], text
    # Words stand in tantivy's files in a code of its own; every file was written anew, from what is left.
    assert segments
    assert not segments & segment_files(tmp_path / "keywords")
    assert await house.keywords.search(house.agent_id, None, f"{KEPT}7x3", 5)
    await house.assert_in_step()


async def test_an_index_that_was_lost_holds_nothing_of_it_either(on_disk: KnowledgeHouse, tmp_path: Path) -> None:
    document_id = await two_pages(on_disk)
    deletion = await delete(on_disk, DeletedKind.DOCUMENT, document_id)
    shutil.rmtree(tmp_path / "vectors")
    shutil.rmtree(tmp_path / "keywords")

    await on_disk.deletions.agent(on_disk.agent_id)

    assert (await receipt(on_disk, deletion)).before.vectors == 0
