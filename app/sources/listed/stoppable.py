"""Work that ends when its run is cancelled, however long the rest of it would take."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

LOOK_SECONDS = 2.0
Result = TypeVar("Result")


class RunStopped(Exception):
    """The run was cancelled during the work."""


async def unless_cancelled(
    work: Callable[[], Awaitable[Result]], is_cancelled: Callable[[], Awaitable[bool]]
) -> Result:
    """The result of `work`. Raises what `work` or `is_cancelled` raises, or RunStopped. `is_cancelled` is asked every
    `LOOK_SECONDS`."""
    results: list[Result] = []
    failures: list[Exception] = []

    async def do() -> None:
        results.append(await work())

    async def watch() -> None:
        while not await is_cancelled():  # noqa: ASYNC110 - the record says so, for another process
            await anyio.sleep(LOOK_SECONDS)

    async def ends_both(call: Callable[[], Awaitable[None]]) -> None:
        try:
            await call()
        except Exception as error:  # raised below, so that the group does not wrap it
            failures.append(error)
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ends_both, do)
        tasks.start_soon(ends_both, watch)
    if failures:
        raise failures[0]
    if not results:
        raise RunStopped
    return results[0]
