import asyncio

import numpy as np
import pytest

from app.kit.vector_matrix import KeptMatrices, VectorMatrix


def matrix(rows: int, start: int = 0) -> VectorMatrix:
    vectors = np.array([[1.0, number] for number in range(start, start + rows)], dtype=np.float32)
    return VectorMatrix([f"c{number}" for number in range(start, start + rows)], vectors)


def test_the_nearest_come_first_whatever_their_length() -> None:
    vectors = np.array([[0, 5], [3, 3], [100, 1], [0, 0]], dtype=np.float32)
    found = VectorMatrix(["up", "between", "right", "nothing"], vectors).nearest([2, 0], 2)
    assert [key for key, _ in found] == ["right", "between"]
    assert [cosine for _, cosine in found] == pytest.approx([1, 0.5**0.5], abs=1e-4)


def test_cosines_are_given_for_the_ids_that_are_there() -> None:
    assert matrix(3).cosines([1, 0], ["c0", "absent"]) == {"c0": pytest.approx(1)}
    assert matrix(3).cosines([1, 0], []) == {}


async def test_matrices_are_loaded_once_for_each_state() -> None:
    kept, loads = KeptMatrices[str](max_bytes=10_000), []

    async def load() -> VectorMatrix:
        loads.append(1)
        return matrix(1)

    for state in (1, 1, 2, 2):
        assert await kept.matrix("agent", state, load) is not None
    assert len(loads) == 2


async def test_a_matrix_that_nobody_waits_for_any_more_is_there_for_the_next_caller() -> None:
    kept, is_read, loads = KeptMatrices[str](max_bytes=10_000), asyncio.Event(), []

    async def load() -> VectorMatrix:
        loads.append(1)
        await is_read.wait()
        return matrix(1)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await kept.matrix("agent", 1, load)
    is_read.set()
    assert await kept.matrix("agent", 1, load) is not None
    assert len(loads) == 1


async def test_a_matrix_of_a_state_that_is_over_goes_to_those_who_waited_and_no_further() -> None:
    kept, is_read = KeptMatrices[str](max_bytes=10_000), asyncio.Event()

    async def load_slowly() -> VectorMatrix:
        await is_read.wait()
        return matrix(1)

    async def load() -> VectorMatrix:
        return matrix(2)

    first = asyncio.create_task(kept.matrix("agent", 1, load_slowly))
    second = asyncio.create_task(kept.matrix("agent", 2, load))
    await asyncio.sleep(0)
    is_read.set()
    assert [len(found) for found in await asyncio.gather(first, second) if found] == [1, 2]
    assert await kept.matrix("agent", 2, load) is await second


async def test_closing_ends_a_load_that_hangs() -> None:
    kept = KeptMatrices[str](max_bytes=10_000)

    async def load() -> VectorMatrix:
        await asyncio.Event().wait()
        raise AssertionError("never")

    waiting = asyncio.create_task(kept.matrix("agent", 1, load))
    await asyncio.sleep(0)
    await kept.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_the_least_recently_used_goes_where_there_is_no_room() -> None:
    kept, loads = KeptMatrices[str](max_bytes=2 * matrix(10).size_bytes), []

    async def load() -> VectorMatrix:
        loads.append(1)
        return matrix(10)

    for owner in ("one", "two", "one", "three"):
        await kept.matrix(owner, 1, load)
    assert len(loads) == 3
    await kept.matrix("one", 1, load)
    assert len(loads) == 3
    await kept.matrix("two", 1, load)
    assert len(loads) == 4
