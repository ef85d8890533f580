"""The true nearest chunks, by reading every vector of a table once."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import lancedb
import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE: Final = 20_000


async def exact_nearest(
    folder: str, asked: Sequence[tuple[str, str]], vectors: NDArray[np.float32], limit: int
) -> list[set[str]]:
    """For each of `asked` (the agent's id, a question), whose vector is the row of `vectors`: the ids of the `limit`
    chunks of the agent with the highest cosine. `folder` holds one table of vectors."""
    connection = await lancedb.connect_async(folder)
    [name] = [name for name in (await connection.list_tables()).tables if name.startswith("chunks_")]
    table = await connection.open_table(name)
    agents = np.array([UUID(agent).int % (1 << 62) for agent, _ in asked])
    best = np.full((len(asked), limit), -2.0, dtype=np.float32)
    keys = np.full((len(asked), limit), "", dtype=object)
    async for batch in (
        await table.query().select(["chunk_id", "agent_id", "vector"]).to_batches(max_batch_length=_ROWS_AT_ONCE)
    ):
        flat = batch["vector"].flatten().to_numpy(zero_copy_only=False)
        rows = flat.reshape(batch.num_rows, -1)
        cosines = vectors @ (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T
        owners = np.array([UUID(agent).int % (1 << 62) for agent in batch["agent_id"].to_pylist()])
        cosines[owners[None, :] != agents[:, None]] = -2.0
        scores = np.concatenate([best, cosines], axis=1)
        ids = np.concatenate(
            [keys, np.broadcast_to(np.array(batch["chunk_id"].to_pylist(), dtype=object), cosines.shape)], axis=1
        )
        order = np.argpartition(-scores, limit - 1, axis=1)[:, :limit]
        best, keys = np.take_along_axis(scores, order, axis=1), np.take_along_axis(ids, order, axis=1)
    return [set(row) for row in keys.tolist()]
