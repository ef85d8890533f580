"""The same with many things, a few at a time."""

import anyio
import pytest

from app.kit.tasks import few_at_once


async def test_results_come_in_the_order_of_the_things_a_few_at_a_time() -> None:
    running, most, heard = 0, 0, list[int]()

    async def doubled(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        return number * 2

    assert await few_at_once(range(9), doubled, 4, heard.append) == [2 * number for number in range(9)]
    assert most == 4
    assert heard == list(range(1, 10))


async def test_an_error_ends_it_as_itself() -> None:
    async def failing(number: int) -> int:
        raise OSError(number)

    with pytest.raises(OSError, match="0"):
        await few_at_once(range(9), failing, 4)
