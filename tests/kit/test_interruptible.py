"""Work is ended when something else happens first, and is otherwise what it would be alone."""

import gc
import weakref
from functools import partial

import anyio
import anyio.lowlevel
import pytest

from app.kit.tasks import Interrupted, unless


async def test_the_result_and_the_error_of_the_work_are_its_own() -> None:
    async def work() -> str:
        await anyio.lowlevel.checkpoint()
        return "read"

    async def fail() -> str:
        await anyio.lowlevel.checkpoint()
        raise ValueError("unreadable")

    assert await unless(anyio.sleep_forever, work) == "read"
    with pytest.raises(ValueError, match="unreadable"):
        await unless(anyio.sleep_forever, fail)


async def test_work_without_an_end_is_ended() -> None:
    begun, ended = anyio.Event(), anyio.Event()

    async def work() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    with anyio.fail_after(120), pytest.raises(Interrupted):
        await unless(begun.wait, work)
    assert ended.is_set()


async def test_an_error_of_what_is_waited_for_ends_the_work() -> None:
    async def look() -> None:
        raise OSError("no record")

    with anyio.fail_after(120), pytest.raises(OSError, match="no record"):
        await unless(look, anyio.sleep_forever)


async def test_work_that_is_cancelled_from_outside_is_cancelled() -> None:
    with anyio.fail_after(120):
        with anyio.move_on_after(0.001) as scope:
            await unless(anyio.sleep_forever, anyio.sleep_forever)
        assert scope.cancelled_caught


class _Body:
    """As large as an upload may be."""


@pytest.mark.parametrize("ends", ["interrupted", "failed"])
async def test_nothing_that_the_work_held_waits_for_the_collector_of_cycles(ends: str) -> None:
    gc.collect()
    gc.disable()
    try:
        held = await _ended(ends)
        await anyio.lowlevel.checkpoint()  # the tasks' own last steps
        assert held() is None
    finally:
        gc.enable()


async def _ended(how: str) -> "weakref.ref[_Body]":
    body, begun = _Body(), anyio.Event()
    held = weakref.ref(body)

    async def read(kept: _Body) -> None:
        begun.set()
        if how == "failed":
            raise ValueError(kept.__class__.__name__)
        await anyio.sleep_forever()

    work = partial(read, body)
    del body
    with pytest.raises((Interrupted, ValueError)):
        await unless(begun.wait if how == "interrupted" else anyio.sleep_forever, work)
    return held
