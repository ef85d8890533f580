"""LanceDB on a real folder, shared with another process and lost under its feet."""

import itertools
import os
import shutil
import time
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import lancedb
import pytest
from lancedb.table import AsyncTable

from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.providers.indexes import lancedb_tables, lancedb_vector_index
from app.providers.indexes.lancedb_tables import present_bytes, table_name
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from tests.contracts.vector_index_contract import (
    AGENT,
    DIMENSIONS,
    OTHER_AGENT,
    VERSION,
    VectorIndexContract,
    row,
    unit,
)


def opened(folder: Path, model_id: str = "model") -> LanceDBVectorIndex:
    return LanceDBVectorIndex(str(folder), model_id=model_id, dimensions=DIMENSIONS)


def list_folder(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def index(folder: Path) -> LanceDBVectorIndex:
    return opened(folder)


class TestLanceDBVectorIndex(VectorIndexContract):
    @pytest.fixture
    def index(self, folder: Path) -> LanceDBVectorIndex:
        return opened(folder)


class SettledIndex(LanceDBVectorIndex):
    """Nobody has written for long when it is searched, so that it searches in memory."""

    _moments = itertools.count(time.time_ns() - 3600 * 10**9, 10**9)

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        settle(Path(self._uri), next(self._moments))
        return await super().search(agent_id, vector, limit, among)

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        settle(Path(self._uri), next(self._moments))
        return await super().similarities(agent_id, vector, chunk_ids)


def settle(folder: Path, moment_ns: int) -> None:
    for versions in folder.glob("*.lance/_versions"):
        os.utime(versions, ns=(moment_ns, moment_ns))


def rename_data(folder: Path, before: str, after: str) -> None:
    for file in folder.glob(f"*.lance/data/*{before}"):
        file.rename(file.with_suffix(after))


class TestLanceDBVectorIndexInMemory(VectorIndexContract):
    @pytest.fixture
    def index(self, folder: Path) -> LanceDBVectorIndex:
        return SettledIndex(str(folder), model_id="model", dimensions=DIMENSIONS)


async def test_a_search_in_memory_reads_no_file_and_sees_the_next_write(folder: Path) -> None:
    worker, index = opened(folder), opened(folder)
    await worker.put(AGENT, [row("a", unit(1)), row("b", unit(0, 1))])
    await worker.put(OTHER_AGENT, [row("theirs", unit(1))])
    settle(folder, time.time_ns() - 3600 * 10**9)
    assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 5)] == ["a", "b"]

    rename_data(folder, ".lance", ".away")
    assert [hit.chunk_id for hit in await index.search(AGENT, unit(0, 1), 5)] == ["b", "a"]
    assert await index.similarities(AGENT, unit(1), ["b", "theirs"]) == {"b": pytest.approx(0, abs=1e-6)}
    rename_data(folder, ".away", ".lance")

    await worker.drop_agent(AGENT)
    assert await index.search(AGENT, unit(1), 5) == []


async def test_an_agent_beyond_the_memory_is_searched_in_the_table(folder: Path) -> None:
    two_vectors = 2 * DIMENSIONS * 4
    index = LanceDBVectorIndex(str(folder), model_id="model", dimensions=DIMENSIONS, kept_bytes=two_vectors)
    await index.put(AGENT, [row("a", unit(1)), row("b", unit(0, 1)), row("c", unit(1, 1))])
    await index.put(OTHER_AGENT, [row("d", unit(1)), row("e", unit(0, 1))])
    settle(folder, time.time_ns() - 3600 * 10**9)
    assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 5)] == ["a", "c", "b"]
    assert [hit.chunk_id for hit in await index.search(OTHER_AGENT, unit(1), 5)] == ["d", "e"]

    rename_data(folder, ".lance", ".away")
    assert [hit.chunk_id for hit in await index.search(OTHER_AGENT, unit(1), 5)] == ["d", "e"]
    with pytest.raises(IndexUnavailable):
        await index.search(AGENT, unit(1), 5)


@pytest.mark.parametrize("rows_on_loop", [4_000, 10], ids=["on the loop", "on a thread"])
async def test_memory_and_table_give_the_same_ranking(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rows_on_loop: int
) -> None:
    monkeypatch.setattr(lancedb_vector_index, "_ROWS_ON_LOOP", rows_on_loop)
    index = opened(folder)
    vectors = [unit(*((n * 7919 + k * 104729) % 97 - 48 for k in range(DIMENSIONS))) for n in range(300)]
    await index.put(AGENT, [row(f"c{n}", vector) for n, vector in enumerate(vectors)])
    question = unit(3, -1, 4, 1, -5, 9, 2, -6)
    from_table = await index.search(AGENT, question, 60)
    settle(folder, time.time_ns() - 3600 * 10**9)
    in_memory = await index.search(AGENT, question, 60)

    assert [hit.score for hit in in_memory] == pytest.approx([hit.score for hit in from_table], abs=1e-5)
    assert {hit.chunk_id for hit in in_memory} == {hit.chunk_id for hit in from_table}


async def test_what_another_process_writes_is_found(index: LanceDBVectorIndex, folder: Path) -> None:
    assert await index.search(AGENT, unit(1), 5) == []
    worker = opened(folder)

    await worker.put(AGENT, [row("a", unit(1))])
    assert await index.chunk_ids(AGENT) == {"a"}
    await worker.put(AGENT, [row("b", unit(1))])
    assert await index.chunk_ids(AGENT) == {"a", "b"}
    await worker.drop_agent(AGENT)
    assert await index.chunk_ids(AGENT) == set()


async def test_searching_an_empty_installation_leaves_no_trace(index: LanceDBVectorIndex, folder: Path) -> None:
    await index.search(AGENT, unit(1), 5)

    assert folder not in list_folder(folder.parent)


async def test_a_lost_folder_names_the_fix_and_comes_back_without_a_restart(
    index: LanceDBVectorIndex, folder: Path
) -> None:
    await index.put(AGENT, [row("a", unit(1))])
    shutil.rmtree(folder)

    for _ in range(2):
        with pytest.raises(IndexUnavailable, match="docent reindex"):
            await index.search(AGENT, unit(1), 5)

    await opened(folder).put(AGENT, [row("b", unit(1))])
    assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 5)] == ["b"]


async def test_a_folder_rebuilt_between_two_searches_is_read_anew(index: LanceDBVectorIndex, folder: Path) -> None:
    await index.put(AGENT, [row("old", unit(1)), row("older", unit(1))])
    shutil.rmtree(folder)
    await opened(folder).put(AGENT, [row("new", unit(1))])

    assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 5)] == ["new"]
    await index.put(AGENT, [row("newer", unit(1))])
    assert await index.chunk_ids(AGENT) == {"new", "newer"}


async def test_putting_rebuilds_a_lost_folder(index: LanceDBVectorIndex, folder: Path) -> None:
    await index.put(AGENT, [row("a", unit(1))])
    shutil.rmtree(folder)

    await index.put(AGENT, [row("b", unit(1))])

    assert await index.chunk_ids(AGENT) == {"b"}


@pytest.mark.parametrize("part", ["data", "_versions"])
async def test_a_broken_folder_names_the_fix(folder: Path, part: str) -> None:
    await opened(folder).put(AGENT, [row("a", unit(1))])
    for file in (folder / f"{table_name('model', DIMENSIONS)}.lance" / part).iterdir():
        file.write_bytes(b"x")

    index = opened(folder)
    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await index.search(AGENT, unit(1), 5)
    with pytest.raises(IndexUnavailable):
        await index.chunk_ids(AGENT)


async def test_another_model_has_a_table_of_its_own(index: LanceDBVectorIndex, folder: Path) -> None:
    await index.put(AGENT, [row("a", unit(1))])
    switched = opened(folder, "another/model:v2")

    with pytest.raises(IndexUnavailable, match="another embedding model"):
        await switched.search(AGENT, unit(1), 5)

    await switched.put(AGENT, [row("a", unit(0, 1))])
    assert len(await switched.search(AGENT, unit(0, 1), 5)) == 1
    assert (await index.search(AGENT, unit(1), 5))[0].score == pytest.approx(1)


async def test_a_forgotten_agent_leaves_every_models_table(index: LanceDBVectorIndex, folder: Path) -> None:
    switched = opened(folder, "other")
    await index.put(AGENT, [row("a", unit(1))])
    await switched.put(AGENT, [row("a", unit(1))])

    await switched.drop_agent(AGENT)

    assert await index.chunk_ids(AGENT) == set()


def test_table_names_differ_wherever_the_models_do() -> None:
    names = {table_name(model, 8) for model in ("a/b", "a-b", "a.b", "", "中文")} | {table_name("a/b", 9)}

    assert len(names) == 6
    assert all(name.replace("-", "").replace("_", "").isalnum() for name in names)


async def test_a_large_table_is_written_anew_less_often_than_a_small_one(index: LanceDBVectorIndex) -> None:
    """A compaction writes all rows, so that it waits for a share of them to be new."""
    rounds = Counter[str]()
    optimize = AsyncTable.optimize

    async def counted(table: AsyncTable, **options: Any) -> Any:
        rounds["small" if await table.count_rows() < 1000 else "large"] += 1
        return await optimize(table, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AsyncTable, "optimize", counted)
        patched.setattr(lancedb_tables, "_MANY_WRITES", 60)
        for number in range(40):
            await index.put(AGENT, [row(f"few{number}", unit(1))])
        await index.put(AGENT, [row(f"many{number}", unit(1)) for number in range(20_000)])
        for number in range(90):
            await index.put(AGENT, [row(f"more{number}", unit(1))])

    assert rounds == {"small": 2, "large": 2}  # for 20,000 rows at once, and after 60 writes


async def test_many_small_writes_are_merged(index: LanceDBVectorIndex, folder: Path) -> None:
    for number in range(40):
        await index.put(AGENT, [row(f"c{number}", unit(1, number))])

    assert len(await index.search(AGENT, unit(1), 100)) == 40
    table = await (await lancedb.connect_async(str(folder))).open_table(table_name("model", DIMENSIONS))
    stats: Any = await table.stats()
    assert stats["fragment_stats"]["num_fragments"] < 5


async def test_a_compaction_after_the_last_write_leaves_the_present_version_alone(
    index: LanceDBVectorIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lancedb_tables, "OLD_VERSIONS_KEPT", timedelta(milliseconds=1))
    for number in range(15):
        await index.put(AGENT, [row(f"c{number}-{other}", unit(1, number, other)) for other in range(50)])
    assert size_of(folder) > 3 * await present_bytes(folder)

    await index.compact()

    assert size_of(folder) < 1.2 * await present_bytes(folder)  # a manifest is counted by none
    assert len(await index.chunk_ids(AGENT)) == 15 * 50


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def test_many_versions_are_dropped_at_once(index: LanceDBVectorIndex) -> None:
    versions = [UUID(int=1_000 + number) for number in range(1_200)]
    await index.put(AGENT, [row(f"c{n}", unit(1, n), version) for n, version in enumerate(versions)])
    await index.put(OTHER_AGENT, [row("kept", unit(1), VERSION)])

    await index.drop_versions(AGENT, versions)

    assert await index.agent_ids() == {OTHER_AGENT}


async def test_a_vector_of_another_length_is_a_mistake_of_ours(index: LanceDBVectorIndex) -> None:
    with pytest.raises(AssertionError):
        await index.put(AGENT, [row("a", [1.0])])
    with pytest.raises(AssertionError):
        await index.search(AGENT, [1.0], 5)


async def test_two_processes_may_make_the_table_at_once(folder: Path) -> None:
    both = [opened(folder), opened(folder)]

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(both[number % 2].put, AGENT, [row(f"c{number}", unit(1, number))])

    assert len(await both[0].chunk_ids(AGENT)) == 10
    assert await both[0].chunk_ids(AGENT) == await both[1].chunk_ids(AGENT)


async def test_a_purge_leaves_no_byte_of_a_dropped_row_where_compaction_would(
    index: LanceDBVectorIndex, folder: Path
) -> None:
    await index.put(AGENT, [row(f"kept{number}", unit(1, number)) for number in range(400)])
    gone = UUID(int=0x5EC2E7)
    await index.put(AGENT, [row("the-secret-chunk", unit(0, 1), gone)])
    await index.compact()
    await index.drop_versions(AGENT, [gone])
    await index.compact()

    def files_with(text: str) -> list[Path]:
        return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]

    assert files_with("the-secret-chunk")
    await index.purge()

    assert files_with("the-secret-chunk") == files_with(str(gone)) == []
    assert len(await index.chunk_ids(AGENT)) == 400


async def test_a_search_survives_a_purge_by_another_process(index: LanceDBVectorIndex, folder: Path) -> None:
    await index.put(AGENT, [row("a", unit(1)), row("b", unit(0, 1))])
    worker = opened(folder)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.purge)
        for _ in range(50):
            assert len(await index.search(AGENT, unit(1), 5)) == 2
