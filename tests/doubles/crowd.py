"""Callers that come, leave and are served in an order that a test, or hypothesis, chooses."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

# "come": one more caller; "leave": a caller goes away; "end": a piece of work ends; "fail": one fails.
steps = st.lists(st.tuples(st.sampled_from(["come", "come", "leave", "end", "fail"]), st.integers(0, 30)), max_size=60)


class WorkFailed(Exception):
    """What a piece of work raises when it was told to fail."""


class Works:
    """Work under way, which ends when the crowd says so. `begun` holds what was asked, in order; `most_at_once` is the
    largest number under way at any time."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.most_at_once = 0
        self._under_way: list[asyncio.Future[None]] = []

    async def work(self, asked: Any) -> None:
        self.begun.append(asked)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._under_way.append(ended)
        self.most_at_once = max(self.most_at_once, len(self._under_way))
        try:
            await ended
        finally:
            self._under_way.remove(ended)

    @property
    def are_under_way(self) -> bool:
        return bool(self._under_way)

    def end(self, number: int, error: Exception | None = None) -> None:
        pending = [future for future in self._under_way if not future.done()]
        if not pending:
            return
        future = pending[number % len(pending)]
        if error:
            future.set_exception(error)
        else:
            future.set_result(None)


async def play(
    steps: Sequence[tuple[str, int]], works: Works, ask: Callable[[int], Awaitable[Any]]
) -> tuple[list[asyncio.Task[Any]], set[int]]:
    """Caller n asks `ask(n)`. Returns all callers, ended, and the numbers of those who left before they were served.

    At the end all work that is left is ended well.
    """
    callers: list[asyncio.Task[Any]] = []
    left: set[int] = set()
    for step, number in steps:
        if step == "come":
            callers.append(asyncio.ensure_future(ask(len(callers))))
        elif step == "leave" and callers and not callers[number % len(callers)].done():
            left.add(number % len(callers))
            callers[number % len(callers)].cancel()
        elif step in ("end", "fail"):
            works.end(number, WorkFailed() if step == "fail" else None)
        await settle()
    while works.are_under_way:
        works.end(0)
        await settle()
    for caller in callers:
        with suppress(asyncio.CancelledError, Exception):
            await asyncio.wait_for(caller, 5)
    return callers, left


async def settle() -> None:
    """Let everything happen that needs no more time to pass."""
    for _ in range(12):
        await asyncio.sleep(0)
