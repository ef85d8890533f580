"""Cancels a task at one of its awaits, the same one each time."""

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any


class CancelledAt:
    """Awaited in a task of its own: the coroutine runs until it waits for the `number`-th time (1..), and is cancelled
    while it waits. `waits` counts them."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], number: int) -> None:
        self._coroutine = coroutine
        self._number = number
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting = self._coroutine.__await__()
        step = waiting.send
        given: Any = None
        while True:
            try:
                waited_for = step(given)
            except StopIteration as end:
                return end.value
            self.waits += 1
            if self.waits == self._number:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            try:
                given, step = (yield waited_for), waiting.send
            except BaseException as error:
                given, step = error, waiting.throw
