"""Ways to run work: for as long as the process lives, periodically, many items a few at a time or in groups, until
something else happens."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Generic, NoReturn, Self, TypeVar

import anyio
import structlog

from app.core.errors import DocentError

log = structlog.get_logger(__name__)

_AGAIN_SECONDS: Final = 0.2
_REST_SECONDS: Final = 1.0


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancel the task again and again until it has ended: before Python 3.12, `asyncio.wait_for`, which libraries use,
    may lose a cancellation. Does not raise the task's error."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_AGAIN_SECONDS)


class Supervisor:
    """Restarts work that fails. `count` is called with the name of the work at each failure."""

    def __init__(self, count: Callable[[str], None] = lambda work: None) -> None:
        self._count = count

    async def keep_going(
        self, name: str, work: Callable[[], Awaitable[object]], rest_seconds: float = _REST_SECONDS
    ) -> NoReturn:
        """Await `work` again and again until cancelled; pause for `rest_seconds` after a failure. `work` has to wait by
        itself if there is nothing to do."""
        while True:
            try:
                await work()
            except Exception as error:
                self.note_failure(name, error)
                await asyncio.sleep(rest_seconds)

    def note_failure(self, name: str, error: Exception) -> None:
        """Count and log a failure of work that continues by itself. Docent's own errors get no traceback."""
        self._count(name)
        if isinstance(error, DocentError):
            log.warning("background.failed", work=name, reason=str(error))
        else:
            log.error("background.failed", work=name, exc_info=error)


class PeriodicTask:
    """Calls `work` repeatedly while its block runs. `work` returns how much it did: if nothing, the next call follows
    after `pause_seconds`, else at once. Several workers may do the same rounds at the same time."""

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[int]],
        pause_seconds: float,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._name = name
        self._work = work
        self._pause_seconds = pause_seconds
        self._supervisor = supervisor or Supervisor()
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        going = self._supervisor.keep_going(self._name, self._go_round, rest_seconds=self._pause_seconds)
        self._running = asyncio.create_task(going, name=f"rounds of {self._name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._running is not None:
            await end_task(self._running)

    async def _go_round(self) -> None:
        if not await self._work():
            await asyncio.sleep(self._pause_seconds)


Thing = TypeVar("Thing")
Made = TypeVar("Made")


async def few_at_once(
    things: Sequence[Thing],
    work: Callable[[Thing], Awaitable[Made]],
    at_once: int,
    on_done: Callable[[int], None] | None = None,
) -> list[Made]:
    """Call `work` for each of `things`, `at_once` at a time, and return the results in order. `on_done` is called with
    the number of finished ones. Raises the first error of `work` after cancelling the others."""
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


# Work that costs little more for many items than for one: waiting items share the next round.
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


class Interrupted(Exception):
    """The work was cancelled before its end."""


async def unless(interrupt: Callable[[], Awaitable[object]], work: Callable[[], Awaitable[Result]]) -> Result:
    """Run `work` and return its result; if `interrupt` returns first, cancel `work` and raise Interrupted. Raises what
    either of them raises."""
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
