"""Does the same with many things, a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")


async def few_at_once(
    things: Sequence[Thing],
    work: Callable[[Thing], Awaitable[Made]],
    at_once: int,
    on_done: Callable[[int], None] | None = None,
) -> list[Made]:
    """In the order of `things`. `on_done` hears how many are done. Raises the first error of `work`; the others are
    then cancelled."""
    places = asyncio.Semaphore(at_once)
    done = 0

    async def do(thing: Thing) -> Made:
        nonlocal done
        async with places:
            made = await work(thing)
        done += 1
        if on_done:
            on_done(done)
        return made

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(do(thing)) for thing in things]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
