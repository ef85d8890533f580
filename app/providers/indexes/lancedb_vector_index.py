"""VectorIndex by LanceDB: one table for all agents, searched exactly.

A bitmap over the agent makes an exact search of 10,000 chunks cheaper than an approximate one, so the table has no
vector index; docs/decisions says at what size that changes. The vectors of agents that are asked are kept in memory for
as long as no process writes to the table: a search is then ten times cheaper, and asks an object store for nothing but
the table's version.

A table belongs to one model: its name carries model id and dimensions, so a switch of the embedder starts an empty
table beside the old one. A table that this process has read and that is gone now is lost, and so is one that only
another model has: both raise IndexUnavailable. One that never was is empty.
"""

import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar
from uuid import UUID, uuid4

import anyio
import numpy as np
import pyarrow as pa
import structlog

from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.kit.vector_matrix import KeptMatrices, VectorMatrix
from app.providers.indexes.lancedb_tables import (
    INDEXES,
    VENDOR_ERRORS,
    CompactionSchedule,
    add_indexes,
    compact_table,
    connected,
    only_what_is_used,
    retried,
    table_name,
    tables_of,
)
from app.providers.indexes.search_indexes import ChunkVector

with only_what_is_used():
    from lancedb.db import AsyncConnection
    from lancedb.expr import Expr, col, lit
    from lancedb.table import AsyncTable

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)

# If two processes put the same chunk at once, the second one replaces the row of the first.
_KEY: Final = {b"lance-schema:unenforced-primary-key": b"true"}
_NO_VERSION_KEPT: Final = timedelta(milliseconds=1)  # exactly 0 warns about readers, which `_read` handles
_IDS_IN_ONE_FILTER: Final = 500

_SETTLED_SECONDS: Final = 2.0  # since the last write: between frequent writes, loading costs more than it saves
_ROWS_ON_LOOP: Final = 4_000  # 0.3 ms; more are searched in a thread


class LanceDBVectorIndex:
    """`uri` is a folder or `s3://...`; `storage_options` are those of the object store. `turn` lets machines write one
    at a time: otherwise, creating a table could wipe out another machine's rows, simultaneous writers retry until one
    gives up, and compacting beside any write fails."""

    def __init__(
        self,
        uri: str,
        *,
        model_id: str,
        dimensions: int,
        storage_options: Mapping[str, str] = MappingProxyType({}),
        turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        kept_bytes: int = 192 * 1024**2,
    ) -> None:
        self._uri = uri
        self._storage_options = storage_options
        self._dimensions = dimensions
        self._table_name = table_name(model_id, dimensions)
        self._turn = nullcontext if "://" not in uri else turn
        self._folder = None if "://" in uri else Path(uri) / f"{self._table_name}.lance"
        # A worker process writes what this one reads: looking for its versions is free on a disk, a request
        # on an object store.
        self._staleness = timedelta(0) if self._folder else timedelta(seconds=2)
        self._table: AsyncTable | None = None
        self._opened_identity: tuple[int, int] | None = None
        self._was_seen = False
        self._opening = anyio.Lock()
        self._writing = anyio.Lock()
        self._compactions = CompactionSchedule()
        self._version_seen = (-1, 0.0)  # and since when, by time.monotonic
        self._matrices = KeptMatrices[UUID](kept_bytes)
        self._largest_kept = kept_bytes // (dimensions * np.dtype(np.float32).itemsize)  # chunks per agent

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        if limit < 1:
            return []
        if among is None:
            matrix = await self._in_memory(agent_id, vector)
            if matrix is not None:
                work = partial(matrix.nearest, vector, limit)
                found = work() if len(matrix) <= _ROWS_ON_LOOP else await anyio.to_thread.run_sync(work)
                return [IndexHit(key, cosine) for key, cosine in found]
            return await self._nearest(_of(agent_id), vector, limit)
        hits: list[IndexHit] = []
        for ids in _in_parts(sorted(str(number) for number in among)):
            hits += await self._nearest(_of(agent_id) & col("document_version_id").isin(ids), vector, limit)
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        matrix = await self._in_memory(agent_id, vector)
        if matrix is not None:
            return matrix.cosines(vector, chunk_ids)
        hits: list[IndexHit] = []
        for ids in _in_parts(list(dict.fromkeys(chunk_ids))):
            hits += await self._nearest(_of(agent_id) & col("chunk_id").isin(ids), vector, len(ids))
        return {hit.chunk_id: hit.score for hit in hits}

    async def put(self, agent_id: UUID, rows: Sequence[ChunkVector]) -> None:
        if not rows:
            return
        batch = self._batch(agent_id, list({row.chunk_id: row for row in rows}.values()))
        async with self._writing, self._turn(), self._translated():
            table = await self._created()
            await table.checkout_latest()  # type: ignore[no-untyped-call] # a merge misses later commits
            merge = table.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all()
            await retried(lambda: merge.execute(batch))
            await self._compactions.note_write(table, batch.num_rows)

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        for ids in _in_parts([str(number) for number in document_version_ids]):
            await self._delete(_of(agent_id) & col("document_version_id").isin(ids))

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        async def count() -> int:
            found = 0
            for table in await self._every_model():
                for ids in _in_parts([str(number) for number in document_version_ids]):
                    rows = table.query().where(_of(agent_id) & col("document_version_id").isin(ids))
                    found += (await rows.select(["chunk_id"]).to_arrow()).num_rows
            return found

        return await self._read(count)

    async def drop_agent(self, agent_id: UUID) -> None:
        await self._delete(_of(agent_id))

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        async def ids() -> set[str]:
            table = await self._opened()
            if table is None:
                return set()
            found = await table.query().where(_of(agent_id)).select(["chunk_id"]).to_arrow()
            return set(found["chunk_id"].to_pylist())

        return await self._read(ids)

    async def agent_ids(self) -> set[UUID]:
        async def ids() -> set[UUID]:
            table = await self._opened()
            if table is None:
                return set()
            agents: set[str] = set()
            async for batch in await table.query().select(["agent_id"]).to_batches():
                agents.update(batch["agent_id"].unique().to_pylist())
            return {UUID(agent) for agent in agents}

        return await self._read(ids)

    async def compact(self) -> None:
        async with self._writing, self._turn(), self._translated():
            for table in await self._every_model():
                await compact_table(table)
            self._compactions.begin_anew()

    async def purge(self) -> None:
        """Compaction alone leaves a dropped row in its file until a tenth of the file is dropped, and an index keeps
        its values; so this writes every row and index anew, and removes all older files."""
        async with self._writing, self._turn(), self._translated():
            for table in await self._every_model():
                await retried(partial(table.update, where="true", updates_sql={"agent_id": "agent_id"}))
                for column, index in INDEXES.items():
                    await retried(partial(table.create_index, column, config=index(), replace=True))
                await retried(partial(table.optimize, cleanup_older_than=_NO_VERSION_KEPT))

    async def close(self) -> None:
        await self._matrices.close()
        self._table = None

    async def _in_memory(self, agent_id: UUID, vector: Sequence[float]) -> VectorMatrix | None:
        """The agent's vectors as they are in the table now; None if LanceDB has to be searched."""
        self._check(vector)
        try:
            written = await self._settled_write()
            if written is None:
                return None
            return await self._matrices.matrix(agent_id, written, lambda: self._loaded(agent_id))
        except IndexUnavailable:  # the search will raise it, if it persists
            return None

    async def _loaded(self, agent_id: UUID) -> VectorMatrix | None:
        """Read the agent's vectors, in batches, so that they are not in memory twice. None if there are none, too many,
        or more than when the reading began."""
        async with self._translated():
            table = await self._opened()
            count = 0 if table is None else await table.count_rows(f"agent_id = '{agent_id}'")
            if table is None or not 0 < count <= self._largest_kept:
                return None
            ids: list[str] = []
            vectors = np.empty((count, self._dimensions), dtype=np.float32)
            rows = table.query().where(_of(agent_id)).select(["chunk_id", "vector"])
            async for batch in await rows.to_batches():
                end = len(ids) + batch.num_rows
                if end > count:
                    return None
                vectors[len(ids) : end] = batch["vector"].flatten().to_numpy().reshape(-1, self._dimensions)
                ids += batch["chunk_id"].to_pylist()
        work = partial(VectorMatrix, ids, vectors[: len(ids)])
        return work() if count <= _ROWS_ON_LOOP else await anyio.to_thread.run_sync(work)

    async def _settled_write(self) -> tuple[int, int] | None:
        """The last write, for comparison; None if there is none, or it is so recent that another may follow."""
        if self._folder is None:
            return await self._settled_version()
        try:
            stat = (self._folder / "_versions").stat()
        except FileNotFoundError:
            return None
        settled = time.time_ns() - stat.st_mtime_ns >= _SETTLED_SECONDS * 1e9
        return (stat.st_ino, stat.st_mtime_ns) if settled else None

    async def _settled_version(self) -> tuple[int, int] | None:
        """Like `_settled_write` for a table on an object store, whose writes only show as new versions."""
        async with self._translated():
            table = await self._opened()
            version = None if table is None else await table.version()
        if version is None:
            return None
        now = time.monotonic()
        if self._version_seen[0] != version:
            self._version_seen = (version, now)
        return (0, version) if now - self._version_seen[1] >= _SETTLED_SECONDS else None

    async def _nearest(self, among: Expr, vector: Sequence[float], limit: int) -> list[IndexHit]:
        self._check(vector)

        async def nearest() -> list[IndexHit]:
            table = await self._opened()
            if table is None:
                return []
            query = table.query().nearest_to(np.asarray(vector, dtype=np.float32)).distance_type("cosine")
            query = query.bypass_vector_index().where(among).select(["chunk_id", "_distance"]).limit(limit)
            return [IndexHit(row["chunk_id"], 1.0 - row["_distance"]) for row in await query.to_list()]

        return await self._read(nearest)

    async def _read(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """Retries once: a purge may have removed the version that was just being read."""
        try:
            async with self._translated():
                return await read()
        except IndexUnavailable:
            async with self._translated():
                return await read()

    async def _delete(self, rows: Expr) -> None:
        """Delete from every model's table: deleted content must not remain in that of a former model."""
        async with self._writing, self._turn(), self._translated():
            for table in await self._every_model():
                await retried(partial(table.delete, rows))
                await self._compactions.note_write(table)

    def _batch(self, agent_id: UUID, rows: Sequence[ChunkVector]) -> pa.Table:
        for row in rows:
            self._check(row.vector)
        flat = np.asarray([row.vector for row in rows], dtype=np.float32).ravel()
        return pa.table(
            {
                "chunk_id": [row.chunk_id for row in rows],
                "agent_id": [str(agent_id)] * len(rows),
                "document_version_id": [str(row.document_version_id) for row in rows],
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat), self._dimensions),
            },
            schema=self._schema(),
        )

    def _schema(self) -> pa.Schema:
        columns = [pa.field("chunk_id", pa.string(), nullable=False, metadata=_KEY)]
        columns += [pa.field(name, pa.string(), nullable=False) for name in ("agent_id", "document_version_id")]
        columns.append(pa.field("vector", pa.list_(pa.float32(), self._dimensions), nullable=False))
        return pa.schema(columns)

    def _check(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dimensions:
            raise AssertionError(f"a vector of {len(vector)} numbers, where the index holds {self._dimensions}")

    async def _connected(self) -> AsyncConnection:
        return await connected(self._uri, self._storage_options, self._staleness)

    async def _every_model(self) -> list[AsyncTable]:
        connection = await self._connected()
        return [await connection.open_table(name) for name in await tables_of(connection)]

    async def _opened(self) -> AsyncTable | None:
        """The table; None if no process has put anything yet. Raises IndexUnavailable if it was lost."""
        async with self._opening:
            if self._table is not None and self._opened_identity == self._identity():
                return self._table
            self._table = None  # not closed: a search may still be reading it
            if self._folder and not self._folder.parent.exists():
                names: list[str] = []  # connecting would create the folder
            else:
                connection = await self._connected()
                names = await tables_of(connection)
            if self._table_name in names:
                self._keep(await connection.open_table(self._table_name))
            elif self._was_seen:
                raise IndexUnavailable(f"The vectors in {self._uri} are gone; run `docent reindex`.")
            elif names:
                raise IndexUnavailable(
                    f"The vectors in {self._uri} were made by another embedding model; run `docent reindex`."
                )
            return self._table

    async def _created(self) -> AsyncTable:
        """The table, created if missing: a caller that puts is rebuilding."""
        async with self._opening:
            if self._table is not None and self._opened_identity == self._identity():
                return self._table
            connection = await self._connected()
            if self._table_name in await tables_of(connection):
                table = await connection.open_table(self._table_name)
            elif self._folder is None:
                table = await self._make_table(connection)
            else:
                await self._make_folder(self._folder)
                table = await connection.open_table(self._table_name)
            self._keep(table)
            return table

    async def _make_folder(self, folder: Path) -> None:
        """Creates it aside and renames it, so that processes on one disk do not interfere."""
        aside = folder.parent / f".making-{uuid4().hex}"
        try:
            await self._make_table(await connected(str(aside), {}))
            await anyio.to_thread.run_sync(_rename_unless_there, aside / folder.name, folder)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(partial(shutil.rmtree, aside, ignore_errors=True))

    async def _make_table(self, connection: AsyncConnection) -> AsyncTable:
        table = await connection.create_table(self._table_name, schema=self._schema(), exist_ok=True)
        await retried(partial(add_indexes, table))
        return table

    def _keep(self, table: AsyncTable) -> None:
        self._table, self._opened_identity, self._was_seen = table, self._identity(), True

    def _identity(self) -> tuple[int, int] | None:
        """What tells a folder from another one that was rebuilt in its place, which an open table would mix up."""
        if self._folder is None:
            return None
        try:
            stat = self._folder.stat()
        except FileNotFoundError:
            return (0, 0)
        return (stat.st_ino, stat.st_ctime_ns)

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        try:
            yield
        except VENDOR_ERRORS as error:
            self._table = None  # the next call opens the present one
            raise IndexUnavailable(
                f"The vectors in {self._uri} cannot be used ({error}); run `docent reindex`."
            ) from error


def _of(agent_id: UUID) -> Expr:
    return col("agent_id") == lit(str(agent_id))


def _in_parts(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _IDS_IN_ONE_FILTER] for start in range(0, len(ids), _IDS_IN_ONE_FILTER)]


def _rename_unless_there(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError:
        if not target.exists():
            raise
