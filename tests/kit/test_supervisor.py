"""Work that must go on as long as the process."""

import asyncio

import pytest
from structlog.testing import capture_logs

from app.core.errors import Unavailable
from app.kit.tasks import Supervisor, end_task


@pytest.mark.parametrize(
    ("error", "level"),
    [
        pytest.param(KeyError("nobody foresaw it"), "error", id="a bug"),
        pytest.param(Unavailable("The database is away."), "warning", id="a part that is away"),
    ],
)
async def test_work_that_fails_is_logged_and_counted_and_begun_again(error: Exception, level: str) -> None:
    counted: list[str] = []
    calls, goes_on = 0, asyncio.Event()

    async def work() -> None:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise error
        goes_on.set()
        await asyncio.Event().wait()

    with capture_logs() as logged:
        keeping = asyncio.create_task(Supervisor(counted.append).keep_going("counting", work, rest_seconds=0))
        async with asyncio.timeout(5):
            await goes_on.wait()
    assert counted == ["counting", "counting"]
    assert [(each["event"], each["work"], each["log_level"]) for each in logged] == [
        ("background.failed", "counting", level)
    ] * 2
    await end_task(keeping)


async def test_it_ends_when_it_is_cancelled() -> None:
    began = asyncio.Event()

    async def work() -> None:
        began.set()
        await asyncio.Event().wait()

    keeping = asyncio.create_task(Supervisor().keep_going("waiting", work))
    await began.wait()
    await end_task(keeping)
    assert keeping.cancelled()
