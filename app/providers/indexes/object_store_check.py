"""Whether an object store takes, gives and forgets what LanceDB writes there."""

from collections.abc import Mapping
from time import perf_counter
from uuid import uuid4

import pyarrow as pa

from app.core.errors import IndexUnavailable
from app.providers.indexes.lancedb_import import without_catalogue_client

with without_catalogue_client():
    import lancedb


async def write_and_read(uri: str, options: Mapping[str, str]) -> float:
    """Milliseconds for a table of its own, made, written, read and dropped. Raises IndexUnavailable, with what the
    store said and what to look at."""
    began = perf_counter()
    name = f"doctor_{uuid4().hex}"  # no table of vectors, and known to nobody else
    try:
        connection = await lancedb.connect_async(uri, storage_options=dict(options) or None)
        table = await connection.create_table(name, pa.table({"number": [1]}))
        try:
            await table.add(pa.table({"number": [2]}))  # a second version: the store must know conditional writes
            count = await table.count_rows()
        finally:
            await connection.drop_table(name)
    except (RuntimeError, ValueError, OSError) as error:
        raise IndexUnavailable(
            f"{uri} does not take and give back what is written ({_first_line(error)}). See DOCENT_VECTORS_URI, and in "
            "DOCENT_VECTORS_OPTIONS the keys, the region and the endpoint; the store must know conditional writes."
        ) from error
    if count != 2:
        raise IndexUnavailable(f"{uri} gave back {count} of 2 rows: it does not read what was just written.")
    return (perf_counter() - began) * 1000


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
