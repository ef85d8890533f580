"""Work that ends when something else happens first, however long the rest of it would take."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

Result = TypeVar("Result")


class Interrupted(Exception):
    """The work was cancelled before its end."""


async def unless(interrupt: Callable[[], Awaitable[object]], work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of `work`, which is cancelled if `interrupt` returns before. Raises what either of them raises, or
    Interrupted."""
    results: list[Result] = []
    failures: list[Exception] = []

    async def do() -> None:
        results.append(await work())

    async def ends_both(call: Callable[[], Awaitable[object]]) -> None:
        try:
            await call()
        except Exception as error:  # raised below, so that the group does not wrap it
            failures.append(error)
        except BaseException as cancelled:
            # The group keeps this in a cycle, and with its traceback all that the work held, such as an uploaded file.
            del call
            raise cancelled.with_traceback(None) from None
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ends_both, do)
        tasks.start_soon(ends_both, interrupt)
    if failures:
        del failures[1:]
        raise failures.pop()  # in a list of its own frame, it would be a cycle as well
    if not results:
        raise Interrupted
    return results[0]
