"""Finds the nearest of some thousand vectors, by brute force in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

import anyio
import numpy as np
from numpy.typing import NDArray

from app.kit.tasks import end_task

Owner = TypeVar("Owner", bound=Hashable)


class VectorMatrix:
    """Vectors by id. `vectors` has a row for each id; the rows are normalised to length 1 in place."""

    def __init__(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        np.divide(vectors, lengths[:, None], out=vectors, where=lengths[:, None] > 0)
        self._ids = ids
        self._vectors = vectors
        self._row_of = {key: row for row, key in enumerate(ids)}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def size_bytes(self) -> int:
        return int(self._vectors.nbytes)

    def nearest(self, vector: Sequence[float], limit: int) -> list[tuple[str, float]]:
        """Up to `limit` ids with their cosines, highest first, ties by id."""
        cosines = self._cosines(vector, self._vectors)
        best = range(len(cosines)) if len(cosines) <= limit else np.argpartition(-cosines, limit - 1)[:limit]
        return sorted(((self._ids[row], float(cosines[row])) for row in best), key=lambda hit: (-hit[1], hit[0]))

    def cosines(self, vector: Sequence[float], ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each of `ids` that is present."""
        known = [key for key in ids if key in self._row_of]
        found = self._cosines(vector, self._vectors[[self._row_of[key] for key in known]])
        return dict(zip(known, found.tolist(), strict=True))

    @staticmethod
    def _cosines(vector: Sequence[float], rows: NDArray[np.float32]) -> NDArray[np.float32]:
        wanted = np.asarray(vector, dtype=np.float32)
        cosines: NDArray[np.float32] = rows @ (wanted / (float(np.linalg.norm(wanted)) or 1.0))
        return cosines


class KeptMatrices(Generic[Owner]):
    """Caches up to `max_bytes` of matrices by owner; beyond that, drops the least recently used. All belong to the same
    state of their source; when the state changes, they are dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[Owner, VectorMatrix | None] = OrderedDict()
        self._state: Hashable = None
        self._loads: dict[tuple[Owner, Hashable], asyncio.Task[VectorMatrix | None]] = {}
        self._loading = anyio.Lock()

    async def matrix(
        self, owner: Owner, state: Hashable, load: Callable[[], Awaitable[VectorMatrix | None]]
    ) -> VectorMatrix | None:
        """The owner's matrix in `state`, or None: what `load` returns, which is called if it is not cached. Raises what
        `load` raises. A load goes on if its caller is cancelled: the next caller finds the matrix."""
        if state != self._state:
            self._kept.clear()
            self._state = state
        if owner not in self._kept:
            return await asyncio.shield(self._load(owner, state, load))
        self._kept.move_to_end(owner)
        return self._kept[owner]

    async def close(self) -> None:
        """Cancel the loads in progress."""
        for task in list(self._loads.values()):
            await end_task(task)

    def _load(
        self, owner: Owner, state: Hashable, load: Callable[[], Awaitable[VectorMatrix | None]]
    ) -> "asyncio.Task[VectorMatrix | None]":
        """Start to load, or return the load that is running already for this owner and state."""
        running = self._loads.get((owner, state))
        if running is None:
            running = asyncio.create_task(self._loaded(owner, state, load), name="loading vectors")
            self._loads[owner, state] = running
            running.add_done_callback(lambda task: self._ended(owner, state, task))
        return running

    async def _loaded(
        self, owner: Owner, state: Hashable, load: Callable[[], Awaitable[VectorMatrix | None]]
    ) -> VectorMatrix | None:
        async with self._loading:  # one at a time, to save memory
            matrix = await load()
        if state == self._state:
            self._kept[owner] = matrix
            while sum(kept.size_bytes for kept in self._kept.values() if kept is not None) > self._max_bytes:
                self._kept.popitem(last=False)
        return matrix

    def _ended(self, owner: Owner, state: Hashable, task: "asyncio.Task[VectorMatrix | None]") -> None:
        del self._loads[owner, state]
        if not task.cancelled():
            task.exception()  # retrieved, in case that nobody waits for it any more
