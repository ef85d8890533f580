"""Work is ended when its run is cancelled, and is otherwise what it would be without a watcher."""

import anyio
import pytest

from app.sources.listed import stoppable
from app.sources.listed.stoppable import RunStopped, unless_cancelled


async def never() -> bool:
    return False


async def test_the_result_and_the_error_of_the_work_are_its_own() -> None:
    async def work() -> str:
        await anyio.lowlevel.checkpoint()
        return "read"

    async def fail() -> str:
        await anyio.lowlevel.checkpoint()
        raise ValueError("unreadable")

    assert await unless_cancelled(work, never) == "read"
    with pytest.raises(ValueError, match="unreadable"):
        await unless_cancelled(fail, never)


async def test_work_without_an_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LOOK_SECONDS", 0.001)
    begun, ended = anyio.Event(), anyio.Event()

    async def work() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async def is_cancelled() -> bool:
        return begun.is_set()

    with anyio.fail_after(20), pytest.raises(RunStopped):
        await unless_cancelled(work, is_cancelled)
    assert ended.is_set()


async def test_an_error_of_the_watcher_ends_the_work() -> None:
    async def is_cancelled() -> bool:
        raise OSError("no record")

    with anyio.fail_after(20), pytest.raises(OSError, match="no record"):
        await unless_cancelled(anyio.sleep_forever, is_cancelled)
