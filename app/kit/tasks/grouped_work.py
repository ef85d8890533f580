"""Work that costs little more for many items than for one: waiting items share the next round."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import anyio

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Waiting(Generic[Item, Result]):
    """An item; once done, its result is the only element of `results`."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.results: list[Result] = []
        self.is_alone = False


class GroupedWork(Generic[Item, Result]):
    """Calls `work` with up to `most` items at once, one call at a time. `work` returns a result for each, in order, and
    may be repeated.

    If nothing is running, an item is processed at once. If a group fails, each of its items is tried alone. The caller
    of a group's first item runs the work for all: if it is cancelled, the work ends, and the others start again.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], *, most: int) -> None:
        self._work = work
        self._most = most
        self._one_at_a_time = anyio.Lock()
        self._waiting: list[_Waiting[Item, Result]] = []  # first come first

    async def run(self, item: Item) -> Result:
        """The result for this item. Raises what `work` raises for it alone."""
        own = _Waiting[Item, Result](item)
        self._waiting.append(own)
        try:
            async with self._one_at_a_time:
                if not own.results:
                    await self._lead(own)
        finally:
            self._waiting.remove(own)
        return own.results[0]

    async def _lead(self, own: _Waiting[Item, Result]) -> None:
        """Run the work for `own` and for waiting items."""
        others = [each for each in self._waiting if each is not own and not each.results and not each.is_alone]
        group = [own] if own.is_alone else [own, *others[: self._most - 1]]
        try:
            results = await self._work([each.item for each in group])
        except Exception:
            if len(group) == 1:
                raise
            for each in group:
                each.is_alone = True
            await self._lead(own)
            return
        for each, result in zip(group, results, strict=True):
            each.results.append(result)
