"""Uploaded files whose bytes lie on an object store: here in obstore's own store in memory."""

import random
from uuid import UUID

import pytest
from obstore.store import MemoryStore

from app.core.actor import Actor
from app.core.errors import FilesUnavailable, Misconfigured, NotFound
from app.core.source_file import FileFormat, StoredBody
from app.providers.object_store_files import ObjectStoreFiles
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState
from app.sources.deletions.records import DeletionRecords
from app.sources.files.file_bodies import PIECE_BYTES, FileBodies
from app.sources.files.records import FileRecords
from app.sources.files.source_files import SourceFiles
from app.sources.source import Source, SourceConfig
from app.store.schema import new_id
from tests.doubles.plain_file_reader import PlainFileReader
from tests.knowledge.knowledge_house import KnowledgeHouse

BODY = b"The manual\nPress the green button."


class RefusingStore(ObjectStoreFiles):
    """One that takes and gives, and does not let go."""

    async def forget(self, keys: object) -> None:
        pass


@pytest.fixture
def store() -> ObjectStoreFiles:
    return ObjectStoreFiles(MemoryStore(), "memory:///")


async def keys_on(store: ObjectStoreFiles) -> list[str]:
    return [found.key async for found in store.below("")]


async def a_file(house: KnowledgeHouse, body: bytes = BODY) -> Source:
    source = await house.add_source(SourceConfig(kinds.FILE, "manual.txt"))
    await put(house, source, body)
    return source


async def put(house: KnowledgeHouse, source: Source, body: bytes) -> StoredBody:
    key = await house.files.keep(house.agent_id, source.id, body)

    def work(tx: object) -> StoredBody:
        FileRecords(tx).put(source.id, "manual.txt", FileFormat.TEXT, body, key)  # type: ignore[arg-type]
        return FileRecords(tx).body(source.id)  # type: ignore[arg-type]

    return await house.record.write(work)


async def delete(house: KnowledgeHouse, kind: DeletedKind, subject_id: UUID) -> Deletion:
    deletion = await house.record.write(lambda tx: DeletionRecords(tx).erase(house.workspace_id, kind, subject_id))
    await house.deletions.agent(house.agent_id)
    return await house.record.read(lambda tx: DeletionRecords(tx).deletion(house.workspace_id, deletion.id))


async def test_without_a_store_the_record_holds_the_bytes(house: KnowledgeHouse) -> None:
    source = await a_file(house)
    stored = await put(house, source, BODY)

    assert (stored.body, stored.object_key) == (BODY, "")
    assert await house.files.read(stored) == BODY


async def test_with_one_they_lie_there_and_are_read_from_there(house: KnowledgeHouse, store: ObjectStoreFiles) -> None:
    house.files = FileBodies(store)
    source = await a_file(house)
    stored = await put(house, source, BODY)

    assert stored.body == b""
    assert await house.files.read(stored) == BODY
    page = await kinds.FILE.page(house.given, source, source.given_url)
    assert page.content is not None
    assert "green button" in page.content.markdown


async def test_what_was_uploaded_before_there_was_a_store_is_still_read(
    house: KnowledgeHouse, store: ObjectStoreFiles
) -> None:
    stored = await put(house, await a_file(house), BODY)
    assert await FileBodies(store).read(stored) == BODY


async def test_a_store_that_is_no_longer_named_is_asked_for(house: KnowledgeHouse, store: ObjectStoreFiles) -> None:
    house.files = FileBodies(store)
    stored = await put(house, await a_file(house), BODY)

    with pytest.raises(Misconfigured, match="DOCENT_FILES_URI"):
        await FileBodies().read(stored)


async def test_other_bytes_than_were_uploaded_are_never_given_out(
    house: KnowledgeHouse, store: ObjectStoreFiles
) -> None:
    house.files = FileBodies(store)
    stored = await put(house, await a_file(house), BODY)
    await store.put(stored.object_key, b"Press the red button.")

    with pytest.raises(FilesUnavailable, match="other bytes"):
        await house.files.read(stored)


@pytest.fixture(params=["in the record", "on a store"])
def files(request: pytest.FixtureRequest, house: KnowledgeHouse, store: ObjectStoreFiles) -> SourceFiles:
    house.files = FileBodies(store if request.param == "on a store" else None)
    return SourceFiles(house.record, PlainFileReader(), house.files, max_bytes=3 * PIECE_BYTES)


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES])
async def test_a_file_is_opened_in_pieces(house: KnowledgeHouse, files: SourceFiles, size: int) -> None:
    body = random.Random(size).randbytes(size)
    source = await a_file(house, body)
    opened = await files.opened(Actor(house.workspace_id, "test"), source.id)
    pieces = [piece async for piece in opened.pieces]
    assert b"".join(pieces) == body
    assert all(len(piece) == PIECE_BYTES for piece in pieces[:-1])


async def test_a_piece_is_read_when_it_is_asked_for(house: KnowledgeHouse, files: SourceFiles) -> None:
    source = await a_file(house, b"a" * 2 * PIECE_BYTES)
    opened = await files.opened(Actor(house.workspace_id, "test"), source.id)
    assert len(await anext(opened.pieces)) == PIECE_BYTES
    await delete(house, DeletedKind.SOURCE, source.id)
    with pytest.raises(NotFound, match="file"):
        await anext(opened.pieces)


async def test_a_file_that_was_replaced_is_not_sent_as_a_mixture(house: KnowledgeHouse) -> None:
    files = SourceFiles(house.record, PlainFileReader(), house.files, max_bytes=3 * PIECE_BYTES)
    source = await a_file(house, b"a" * 2 * PIECE_BYTES)
    opened = await files.opened(Actor(house.workspace_id, "test"), source.id)
    await anext(opened.pieces)
    await put(house, source, b"b" * 2 * PIECE_BYTES)
    with pytest.raises(NotFound, match="file"):
        await anext(opened.pieces)


async def test_of_other_bytes_than_were_uploaded_the_last_piece_never_comes(
    house: KnowledgeHouse, store: ObjectStoreFiles
) -> None:
    house.files = FileBodies(store)
    files = SourceFiles(house.record, PlainFileReader(), house.files, max_bytes=3 * PIECE_BYTES)
    source = await a_file(house, b"a" * (PIECE_BYTES + 10))
    [key] = await keys_on(store)
    await store.put(key, b"a" * PIECE_BYTES + b"b" * 10)
    opened = await files.opened(Actor(house.workspace_id, "test"), source.id)
    await anext(opened.pieces)
    with pytest.raises(FilesUnavailable, match="other bytes"):
        await anext(opened.pieces)


async def test_an_object_that_is_gone_is_a_file_that_is_gone(house: KnowledgeHouse, store: ObjectStoreFiles) -> None:
    house.files = FileBodies(store)
    stored = await put(house, await a_file(house), BODY)
    await store.forget([stored.object_key])

    with pytest.raises(NotFound, match="file"):
        await house.files.read(stored)


@pytest.mark.parametrize("kind", [DeletedKind.SOURCE, DeletedKind.AGENT])
async def test_a_deletion_is_verified_when_the_store_has_nothing_of_it(
    house: KnowledgeHouse, store: ObjectStoreFiles, kind: DeletedKind
) -> None:
    """Also of an upload that was cut off, which no record names."""
    house.files = FileBodies(store)
    kept = await house.files.keep(new_id(), new_id(), b"of another agent")
    source = await a_file(house)
    await house.files.keep(house.agent_id, source.id, b"never named")

    deletion = await delete(house, kind, source.id if kind is DeletedKind.SOURCE else house.agent_id)

    assert deletion.state is DeletionState.VERIFIED
    assert await keys_on(store) == [kept]


async def test_a_deletion_stays_pending_while_the_store_has_something_of_it(house: KnowledgeHouse) -> None:
    house.files = FileBodies(RefusingStore(MemoryStore(), "memory:///"))
    source = await a_file(house)

    with pytest.raises(FilesUnavailable, match="1 deleted files"):
        await delete(house, DeletedKind.SOURCE, source.id)

    pending = await house.record.read(lambda tx: DeletionRecords(tx).pending(house.agent_id))
    assert [each.subject_id for each in pending] == [source.id]


async def test_what_no_record_names_goes_after_a_day(house: KnowledgeHouse, store: ObjectStoreFiles) -> None:
    """An upload that was cut off, and a file that another has replaced."""
    house.files = FileBodies(store)
    source = await a_file(house)
    cut_off = await house.files.keep(house.agent_id, source.id, b"cut off")
    stored = await put(house, source, b"the newer one")
    [written_at] = [found.written_at async for found in store.below(cut_off.rpartition("/")[0]) if found.key == cut_off]

    house.clock.advance((written_at - house.clock.now()).total_seconds() + 23 * 3600)
    assert await house.files.forget_unnamed(house.record, house.clock) == 0

    house.clock.advance(2 * 3600)
    assert await house.files.forget_unnamed(house.record, house.clock) == 2
    assert await keys_on(store) == [stored.object_key]
    assert await house.files.read(stored) == b"the newer one"
