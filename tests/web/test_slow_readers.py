"""A real server, and callers who do not read what it answers."""

import asyncio
import logging

import pytest

from tests.every_row import every_row
from tests.web.bounded_site import CHUNKED, CLOSE, GET, LARGE, LARGE_BYTES, SMALL_BYTES, WHOLE, Site, bounded
from tests.web.bounded_site import anyio_backend as anyio_backend


@every_row(
    "wanted",
    [
        pytest.param(LARGE, id="in pieces"),
        pytest.param(WHOLE, id="all at once"),
        pytest.param(CLOSE.replace(b"plain", b"whole"), id="all at once, and closed"),
    ],
)
async def test_an_answer_that_nobody_takes_is_ended(wanted: bytes) -> None:
    async with bounded(stall_seconds=0.2, keep_alive=0.1) as site:
        reader, writer = await site.connected()
        writer.write(wanted)
        await reader.readuntil(b"\r\n\r\n")
        await _until_one_is_stalled(site)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(LARGE_BYTES)
        assert site.begun == 1


async def test_what_is_left_of_an_answer_is_not_kept_for_ever() -> None:
    """Less than the server buffers before it waits."""
    async with bounded(stall_seconds=0.2, keep_alive=0.1) as site:
        site.shrink_buffers()
        reader, writer = await site.connected()
        writer.write(GET.replace(b"plain", b"small"))
        await reader.readuntil(b"\r\n\r\n")
        await _until_one_is_stalled(site)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(SMALL_BYTES)


async def test_an_answer_that_nobody_takes_is_ended_after_a_late_head_too() -> None:
    async with bounded(stall_seconds=0.5, header_seconds=0.1) as site:
        site.shrink_buffers()
        reader, writer = await site.connected()
        writer.write(GET.replace(b"plain", b"small") + GET[:20])
        await reader.readuntil(b"\r\n\r\n")
        await _until_one_is_stalled(site)
        assert site.refused("header_late") == 1


async def test_a_slow_reader_who_goes_on_gets_all_of_it() -> None:
    async with bounded(stall_seconds=0.3) as site:
        reader, writer = await site.connected()
        writer.write(LARGE)
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(16):
            assert await reader.readexactly(LARGE_BYTES // 16)
            await asyncio.sleep(0.1)
        assert site.refused("stalled") is None


@every_row("wanted", [pytest.param(LARGE, id="in pieces"), pytest.param(WHOLE, id="all at once")])
async def test_no_request_that_was_sent_ahead_is_begun_while_an_answer_is_not_taken(wanted: bytes) -> None:
    async with bounded() as site:
        reader, writer = await site.connected()
        writer.write(wanted + GET * 3)
        await reader.readuntil(b"\r\n\r\n")
        other_reader, other = await site.connected()
        other.write(GET)
        await other_reader.readuntil(b"answered")
        assert site.begun == 2
        await reader.readexactly(LARGE_BYTES)
        for _ in range(3):
            await reader.readuntil(b"answered")
        assert site.begun == 5


async def test_an_answer_that_nobody_takes_makes_room_before_one_that_is_taken() -> None:
    async with bounded(connections=2) as site:
        taken_reader, taken = await site.connected()
        taken.write(GET.replace(b"plain", b"stream"))
        await taken_reader.readuntil(b"first ")
        reader, writer = await site.connected()
        writer.write(WHOLE * 4)
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(3):
            next_reader, following = await site.connected()
            following.write(CLOSE)
            assert (await next_reader.read()).endswith(b"answered")
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(LARGE_BYTES)
        site.goes_on.set()
        await taken_reader.readuntil(b"last")


async def test_readers_who_leave_are_no_errors(caplog: pytest.LogCaptureFixture) -> None:
    errors = logging.getLogger("uvicorn.error")
    async with bounded() as site:
        errors.setLevel(logging.ERROR)
        errors.addHandler(caplog.handler)
        for wanted in (LARGE * 4, WHOLE * 4, GET.replace(b"plain", b"stream") * 4, LARGE + CHUNKED):
            reader, writer = await site.connected()
            writer.write(wanted)
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.abort()
        async with asyncio.timeout(10):
            await site.has_left.wait()
        site.goes_on.set()
        assert (await site.answer_to(CLOSE)).endswith(b"answered")
    errors.removeHandler(caplog.handler)
    assert [record.exc_info for record in caplog.records if record.name == errors.name] == []


async def _until_one_is_stalled(site: Site) -> None:
    async with asyncio.timeout(10):
        while site.refused("stalled") is None:  # noqa: ASYNC110 - a meter calls nobody
            await asyncio.sleep(0.02)
