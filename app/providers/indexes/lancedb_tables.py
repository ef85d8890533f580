"""Our tables in LanceDB: opening, naming and compacting them, retrying writes, and testing a store."""

import hashlib
import random
import re
import sys
from abc import ABC
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from pathlib import Path
from time import perf_counter
from types import ModuleType, SimpleNamespace
from typing import Any, Final, TypeVar, cast
from uuid import uuid4

import anyio
import pyarrow as pa
import structlog

from app.core.errors import IndexUnavailable, first_line

_CLIENT: Final = "lance_namespace_urllib3_client"
_CHECKS: Final = "overrides"


@contextmanager
def only_what_is_used() -> Iterator[None]:
    """For the block that imports LanceDB: without the client for its REST catalogues, and without its checks of itself.
    Leaves modules that were imported before unchanged.

    `import lancedb` loads that client, 163 modules that take as long as all the rest, but Docent opens tables by folder
    or object store. During the import, placeholders replace the client's modules. The few of its classes that LanceDB
    uses elsewhere are plain responses, such as a page of table names: their placeholders hold what they are given.

    From `overrides` it uses a decorator that compares each of its hundred methods with the one it overrides, which
    takes as long as its other modules together and does not concern Docent: during the import the decorator returns
    methods as they are.
    """
    finder = _Placeholders()
    sys.meta_path.insert(0, finder)
    has_checks = _CHECKS in sys.modules
    if not has_checks:
        sys.modules[_CHECKS] = _unchecked_overrides()
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        if not has_checks:
            del sys.modules[_CHECKS]  # other importers get the real one


def _unchecked_overrides() -> ModuleType:
    module: Any = ModuleType(_CHECKS)
    module.override = lambda method: method
    module.EnforceOverrides = ABC
    return cast(ModuleType, module)


class _Placeholders(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _CLIENT:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Placeholder(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to execute: the module is complete."""


class _Placeholder(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (SimpleNamespace,), {})


with only_what_is_used():
    import lancedb
    from lancedb.db import AsyncConnection
    from lancedb.index import Bitmap, BTree
    from lancedb.table import AsyncTable

Result = TypeVar("Result")

INDEXES: Final[dict[str, type[Bitmap | BTree]]] = {"agent_id": Bitmap, "chunk_id": BTree, "document_version_id": BTree}

OLD_VERSIONS_KEPT: Final = timedelta(hours=1)  # another process may be reading one of them
VENDOR_ERRORS: Final = (RuntimeError, ValueError, OSError)
"""What LanceDB's Rust side raises, whatever the cause."""

# Limits per request to an object store; connecting takes some seven. LanceDB's own are 30 and 180 s.
_PATIENCE: Final = {"timeout": "10s", "connect_timeout": "3s", "client_max_retries": "3", "client_retry_timeout": "10"}

_PREFIX: Final = "chunks_"
_log = structlog.get_logger(__name__)

_ATTEMPTS: Final = 10
_FEW_WRITES: Final = 20
_MANY_WRITES: Final = 300
_NEW_ENOUGH: Final = 0.1  # share of the table's rows
_MET_ANOTHER: Final = ("commit conflict", "Too many concurrent writers")


def table_name(model_id: str, dimensions: int) -> str:
    """A table's name: readable, and different for every model id whatever its characters."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", model_id).strip("-")[:60]
    digest = hashlib.sha256(model_id.encode()).hexdigest()[:8]
    return f"{_PREFIX}{readable}_{digest}_{dimensions}"


async def connected(uri: str, options: Mapping[str, str], staleness: timedelta | None = None) -> AsyncConnection:
    """Connect to `uri`, a folder or an address on an object store, for which `options` are; of our time limits, those
    that `options` set count instead. An open table looks for newer versions after `staleness`."""
    patience = _PATIENCE if "://" in uri else {}
    return await lancedb.connect_async(
        uri, storage_options={**patience, **options} or None, read_consistency_interval=staleness
    )


async def add_indexes(table: AsyncTable) -> None:
    indexed = {column for index in await table.list_indices() for column in index.columns}
    for column, index in INDEXES.items():
        if column not in indexed:
            await table.create_index(column, config=index())


async def retried(write: Callable[[], Awaitable[Result]]) -> Result:
    """Retries while another process commits at the same moment; LanceDB does so by itself for some writes only."""
    for attempt in count(1):
        try:
            return await write()
        except RuntimeError as error:
            if not any(sign in str(error) for sign in _MET_ANOTHER) or attempt == _ATTEMPTS:
                raise
            await anyio.sleep(attempt * random.uniform(0.01, 0.05))  # noqa: S311 - spreads, does not protect
    raise AssertionError("unreachable")


async def compact_table(table: AsyncTable) -> None:
    """Merge its files, and remove versions that nobody reads any more."""
    done = await retried(partial(table.optimize, cleanup_older_than=OLD_VERSIONS_KEPT))
    freed_mib = done.prune.bytes_removed >> 20
    if freed_mib:
        _log.info("vectors.compacted", freed_mib=freed_mib)


class CompactionSchedule:
    """Each write leaves a small file, which every search of the table reads; a compaction writes all rows once more. So
    it is due after some writes that added a share of the rows, or after many: a table of a million rows is rewritten
    every 200 pages, not every 20."""

    def __init__(self) -> None:
        self._writes = 0
        self._rows = 0

    async def note_write(self, table: AsyncTable, rows: int = 0) -> None:
        """Record a write of that many rows; compact the table if that is due."""
        self._writes += 1
        self._rows += rows
        if not await self._is_due(table):
            return
        self.begin_anew()
        try:
            await compact_table(table)
        except VENDOR_ERRORS as error:  # another process may be compacting it; searches are only slower
            _log.warning("vectors.compaction_skipped", error=str(error))

    async def _is_due(self, table: AsyncTable) -> bool:
        if self._writes < _FEW_WRITES:
            return False
        return self._writes >= _MANY_WRITES or self._rows >= _NEW_ENOUGH * await table.count_rows()

    def begin_anew(self) -> None:
        self._writes = self._rows = 0


async def tables_of(connection: AsyncConnection) -> list[str]:
    """The names of our tables, of all models."""
    names: list[str] = []
    token: str | None = None
    while True:
        page = await connection.list_tables(page_token=token)
        names += [name for name in page.tables if name.startswith(_PREFIX)]
        token = page.page_token
        if not token:
            return names


async def present_bytes(folder: Path) -> int:
    """The size of the present versions of all tables, without older ones. Raises IndexUnavailable."""
    try:
        connection = await connected(str(folder), {})
        tables = [await connection.open_table(name) for name in await tables_of(connection)]
        stats: list[Any] = [await table.stats() for table in tables]  # dictionaries, whatever the annotation says
        return sum(each["total_bytes"] for each in stats)
    except VENDOR_ERRORS as error:
        raise IndexUnavailable(
            f"The vectors in {folder} cannot be read ({first_line(error)}); run `docent reindex`."
        ) from error


async def write_and_read(uri: str, options: Mapping[str, str]) -> float:
    """Milliseconds to create, write, read and drop a table of its own. Raises IndexUnavailable with the store's error
    and what to check."""
    began = perf_counter()
    name = f"doctor_{uuid4().hex}"  # no table of vectors, and no other process uses it
    try:
        connection = await connected(uri, options)
        table = await connection.create_table(name, pa.table({"number": [1]}))
        try:
            await table.add(pa.table({"number": [2]}))  # a second version: the store must support conditional writes
            rows = await table.count_rows()
        finally:
            await connection.drop_table(name)
    except VENDOR_ERRORS as error:
        raise IndexUnavailable(
            f"{uri} cannot store and read back a table ({first_line(error)}). See DOCENT_VECTORS_URI, and in "
            "DOCENT_VECTORS_OPTIONS the keys, the region and the endpoint; the store must support conditional writes."
        ) from error
    if rows != 2:
        raise IndexUnavailable(f"{uri} gave back {rows} of 2 rows: it does not read what was just written.")
    return (perf_counter() - began) * 1000
