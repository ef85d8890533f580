"""Our tables in LanceDB: how they are named, indexed, listed, and written beside other processes."""

import hashlib
import random
import re
from collections.abc import Awaitable, Callable
from typing import Final

import anyio

from app.providers.indexes.lancedb_import import without_catalogue_client

with without_catalogue_client():
    from lancedb.db import AsyncConnection
    from lancedb.index import Bitmap, BTree
    from lancedb.table import AsyncTable

INDEXES: Final[dict[str, type[Bitmap | BTree]]] = {"agent_id": Bitmap, "chunk_id": BTree, "document_version_id": BTree}

_PREFIX: Final = "chunks_"
_ATTEMPTS: Final = 10
_MET_ANOTHER: Final = ("commit conflict", "Too many concurrent writers")


def table_name(model_id: str, dimensions: int) -> str:
    """Readable, and another one for every model id whatever characters it is made of."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", model_id).strip("-")[:60]
    digest = hashlib.sha256(model_id.encode()).hexdigest()[:8]
    return f"{_PREFIX}{readable}_{digest}_{dimensions}"


async def add_indexes(table: AsyncTable) -> None:
    indexed = {column for index in await table.list_indices() for column in index.columns}
    for column, index in INDEXES.items():
        if column not in indexed:
            await table.create_index(column, config=index())


async def retried(write: Callable[[], Awaitable[object]]) -> None:
    """Again while another process commits at the same moment; LanceDB does so by itself for some writes only."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            await write()
            return
        except RuntimeError as error:
            if not any(sign in str(error) for sign in _MET_ANOTHER) or attempt == _ATTEMPTS:
                raise
            await anyio.sleep(attempt * random.uniform(0.01, 0.05))  # noqa: S311 - spreads, does not protect


async def tables_of(connection: AsyncConnection) -> list[str]:
    """The names of our tables, of whatever model."""
    names: list[str] = []
    token: str | None = None
    while True:
        page = await connection.list_tables(page_token=token)
        names += [name for name in page.tables if name.startswith(_PREFIX)]
        token = page.page_token
        if not token:
            return names
