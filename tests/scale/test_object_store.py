"""Vectors on an object store, by the promises of the vector index, and what several machines do to it at once."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext
from uuid import UUID, uuid4

import pytest
from structlog.testing import capture_logs

from app.providers.indexes import lancedb_tables, lancedb_vector_index
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from app.store.engine import MachineLock, open_engine
from tests.contracts.vector_index_contract import AGENT, DIMENSIONS, VectorIndexContract, row, unit
from tests.doubles.postgres_server import PostgresServer
from tests.scale.object_store import ObjectStore


def opened(
    store: ObjectStore, folder: str, turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
) -> LanceDBVectorIndex:
    return LanceDBVectorIndex(
        f"s3://{store.bucket}/{folder}",
        model_id="model",
        dimensions=DIMENSIONS,
        storage_options=store.options,
        turn=turn,
    )


@pytest.fixture
def folder() -> str:
    return uuid4().hex


class TestOnAnObjectStore(VectorIndexContract):
    @pytest.fixture
    def index(self, store: ObjectStore, folder: str) -> LanceDBVectorIndex:
        return opened(store, folder)


class TestOnAnObjectStoreInMemory(VectorIndexContract):
    """As a table is searched that nobody has written to for a while."""

    @pytest.fixture
    def index(self, store: ObjectStore, folder: str, monkeypatch: pytest.MonkeyPatch) -> LanceDBVectorIndex:
        monkeypatch.setattr(lancedb_vector_index, "_SETTLED_SECONDS", 0.0)
        return opened(store, folder)


async def test_what_machines_write_at_once_is_all_there(
    store: ObjectStore, folder: str, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table as well, which none of them has seen before; and none is in another's way when it compacts."""
    monkeypatch.setattr(lancedb_tables, "_FEW_WRITES", 2)
    with ExitStack() as closing:
        engines = [open_engine(server.url) for _ in range(3)]
        for engine in engines:
            closing.callback(engine.dispose)
        machines = [opened(store, folder, MachineLock(engine, "vectors")) for engine in engines]
        with capture_logs() as logged:
            await put_at_once(machines)
    assert [each for each in logged if each["event"] == "vectors.compaction_skipped"] == []
    assert len(await opened(store, folder).chunk_ids(AGENT)) == 12 * 5


async def test_a_chunk_that_two_machines_put_at_once_has_one_vector(store: ObjectStore, folder: str) -> None:
    """A machine whose turn ended with its connection still writes."""
    machines = [opened(store, folder) for _ in range(3)]
    await machines[0].put(AGENT, [row("other", unit(1), UUID(int=1))])
    for number in range(4):
        await asyncio.gather(*(each.put(AGENT, [row(f"c{number}", unit(1), UUID(int=7))]) for each in machines))
    assert await machines[0].count_versions(AGENT, [UUID(int=7)]) == 4


async def test_a_chunk_that_is_put_again_after_another_machine_rewrote_it_has_one_vector(
    store: ObjectStore, folder: str
) -> None:
    """Within the two seconds for which a machine reads the table as it was."""
    here, there = opened(store, folder), opened(store, folder)
    await here.put(AGENT, [row("other", unit(1), UUID(int=1))])
    assert await there.chunk_ids(AGENT) == {"other"}
    await here.put(AGENT, [row("again", unit(1), UUID(int=7))])
    await here.purge()
    await there.put(AGENT, [row("again", unit(1), UUID(int=7))])
    assert await here.count_versions(AGENT, [UUID(int=7)]) == 1


async def put_at_once(machines: list[LanceDBVectorIndex]) -> None:
    await asyncio.gather(
        *(machines[n % 3].put(AGENT, [row(f"{n}-{i}", unit(1, n, i)) for i in range(5)]) for n in range(12))
    )


async def test_a_search_survives_a_purge_by_another_machine(store: ObjectStore, folder: str) -> None:
    here, there = opened(store, folder), opened(store, folder)
    gone = UUID(int=7)
    await here.put(AGENT, [row("kept", unit(1)), row("gone", unit(0, 1), gone)])
    assert len(await there.search(AGENT, unit(1), 5)) == 2
    await here.drop_versions(AGENT, [gone])
    await here.purge()
    assert "kept" in [hit.chunk_id for hit in await there.search(AGENT, unit(1), 5)]
    assert "kept" in await there.chunk_ids(AGENT)


async def test_a_purge_leaves_no_file_of_before(store: ObjectStore, folder: str) -> None:
    index = opened(store, folder)
    await index.put(AGENT, [row("kept", unit(1)), row("gone", unit(0, 1), UUID(int=7))])
    before = {key for key in store.object_keys() if folder in key and key.endswith(".lance")}
    await index.drop_versions(AGENT, [UUID(int=7)])
    await index.purge()
    assert before
    assert not before & set(store.object_keys())
