"""However many read the metrics, and however often, they are rendered one at a time and every few seconds."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from starlette.requests import Request

from app.web.health import KEPT_SECONDS, MetricsText, MetricsToken
from tests.doubles.metrics_reader import METRICS_TOKEN

SCRAPER = Request({"type": "http", "headers": [(b"authorization", f"Bearer {METRICS_TOKEN}".encode())]})


class Rendered:
    """An exposition that renders when it may, and says how many times it has begun."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.begun = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    def now(self) -> float:
        return self.seconds

    async def __call__(self) -> bytes:
        self.begun += 1
        number = self.begun
        await self.may_end.wait()
        return b"%d" % number


@pytest.fixture
def rendered() -> Rendered:
    return Rendered()


@pytest.fixture
def read(rendered: Rendered) -> Callable[[], Awaitable[bytes]]:
    text = MetricsText(rendered, MetricsToken(METRICS_TOKEN), rendered.now)
    return lambda: text.read(SCRAPER)


async def test_readers_within_a_few_seconds_get_the_same_text(
    rendered: Rendered, read: Callable[[], Awaitable[bytes]]
) -> None:
    assert await read() == b"1"
    rendered.seconds += KEPT_SECONDS - 0.1
    assert await read() == b"1"
    rendered.seconds += 0.1
    assert await read() == b"2"


async def test_readers_at_once_wait_for_one_rendering(rendered: Rendered, read: Callable[[], Awaitable[bytes]]) -> None:
    rendered.may_end.clear()
    readers = [asyncio.ensure_future(read()) for _ in range(20)]
    await asyncio.sleep(0)
    rendered.may_end.set()
    assert set(await asyncio.gather(*readers)) == {b"1"}
