"""A real server with small limits, and clients that send bytes as they please."""

import asyncio
import json
from asyncio import StreamWriter
from contextlib import suppress

import pytest

from tests.every_row import every_row
from tests.web.bounded_site import CHUNKED, CLOSE, GET, bounded, error_of
from tests.web.bounded_site import anyio_backend as anyio_backend


async def _send_until_closed(writer: StreamWriter, part: bytes) -> None:
    async with asyncio.timeout(20):
        with suppress(ConnectionError):
            while not writer.is_closing():  # uvloop's write to a closed one is a RuntimeError
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)


@every_row(
    "parts",
    [
        pytest.param((GET[:-2] + b"A: " + b"a" * 5000 + b"\r\n\r\n",), id="one header that is too long"),
        pytest.param((GET[:-2] + b"".join(b"A%d: a\r\n" % n for n in range(30)),), id="too many headers"),
        pytest.param((GET[:-2] + b"A: ", *[b"a" * 1000] * 40), id="a value without end, in pieces"),
        pytest.param((GET[:-2], *[b"a" * 1000] * 40), id="a name without end, in pieces"),
        pytest.param((b"GET /", *[b"a" * 1000] * 40), id="an address without end, in pieces"),
        pytest.param((GET[:-2], *[b"A: " + b"a" * 1000 + b"\r\n"] * 8), id="headers without end"),
        pytest.param((CHUNKED + b"0\r\n", *[b"A: " + b"a" * 1000 + b"\r\n"] * 8), id="trailers without end"),
        pytest.param((CHUNKED + b"0\r\nA: ", *[b"a" * 1000] * 40), id="a trailer without end"),
        pytest.param((CHUNKED + b"5;", *[b"a" * 1000] * 40), id="an extension of a chunk without end"),
    ],
)
async def test_a_head_past_its_size_is_refused(parts: tuple[bytes, ...]) -> None:
    async with bounded(header_bytes=4096, headers=20) as site:
        answer = await site.answer_to(*parts)
        assert not answer or error_of(answer) == (431, "headers_too_large")
        assert site.refused("header") == 1


async def test_a_head_within_its_size_is_read_however_it_is_cut() -> None:
    head = GET[:-2] + b"A: " + b"a" * 3900 + b"\r\nConnection: close\r\n\r\n"
    async with bounded(header_bytes=4096, headers=4) as site:
        for step in (1, 7, 1000, len(head)):
            answer = await site.answer_to(*[head[at : at + step] for at in range(0, len(head), step)])
            assert answer.endswith(b"answered"), step


async def test_a_long_address_counts_once() -> None:
    async with bounded(header_bytes=60_000) as site:
        assert (await site.answer_to(CLOSE.replace(b"plain", b"plain?" + b"a" * 50_000))).endswith(b"answered")


async def test_what_is_no_http_is_told_so() -> None:
    async with bounded() as site:
        assert error_of(await site.answer_to(b"HELO docent\r\n\r\n")) == (400, "malformed_http")


async def test_a_trailer_is_not_a_header() -> None:
    async with bounded() as site:
        reader, writer = await site.connected()
        writer.write(CHUNKED + b"0\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        assert json.loads(await reader.readuntil(b"}")) == {"bytes": 5, "headers": ["host", "transfer-encoding"]}


async def test_half_a_head_has_its_time_and_no_more() -> None:
    async with bounded(header_seconds=0.2) as site:
        assert error_of(await site.answer_to(GET[:-4])) == (408, "too_slow")


async def test_a_connection_that_says_nothing_is_closed_without_a_word() -> None:
    async with bounded(header_seconds=0.2) as site:
        assert await site.answer_to() == b""
        assert site.refused("header_late") is None


async def test_half_a_body_has_its_time_and_no_more() -> None:
    async with bounded(body_seconds=0.2) as site:
        head = b"POST /body HTTP/1.1\r\nHost: docent\r\nContent-Length: 10\r\n\r\n"
        assert error_of(await site.answer_to(head + b"half")) == (408, "too_slow")
        async with asyncio.timeout(10):
            await site.has_left.wait()


async def test_what_was_refused_may_still_be_sent_and_the_connection_goes_on() -> None:
    async with bounded(keep_alive=0.1) as site:
        reader, writer = await site.connected()
        writer.write(b"POST /refused HTTP/1.1\r\nHost: docent\r\nContent-Length: 300000\r\n\r\n")
        await reader.readuntil(b"answered")
        await asyncio.sleep(0.3)  # longer than an idle connection has
        writer.write(b"a" * 300_000 + GET)
        await reader.readuntil(b"answered")
        assert await reader.read() == b""


async def test_a_body_without_end_is_closed_though_it_was_answered() -> None:
    async with bounded(body_seconds=0.2) as site:
        reader, writer = await site.connected()
        writer.write(b"POST /refused HTTP/1.1\r\nHost: docent\r\nTransfer-Encoding: chunked\r\n\r\n")
        await reader.readuntil(b"answered")
        await _send_until_closed(writer, b"400\r\n" + b"a" * 1024 + b"\r\n")


async def test_blank_lines_keep_no_idle_connection_open() -> None:
    async with bounded(keep_alive=0.2) as site:
        reader, writer = await site.connected()
        writer.write(GET)
        await reader.readuntil(b"answered")
        await _send_until_closed(writer, b"\r\n")


async def test_half_a_next_request_cuts_no_stream() -> None:
    async with bounded(header_seconds=0.1, keep_alive=0.2) as site:
        reader, writer = await site.connected()
        writer.write(GET.replace(b"plain", b"stream"))
        await reader.readuntil(b"first ")
        writer.write(GET[:-4])
        await asyncio.sleep(0.3)  # longer than a head has
        site.goes_on.set()
        assert b"last" in await reader.read()


async def test_some_requests_may_come_ahead_and_not_any_number() -> None:
    async with bounded() as site:
        assert (await site.answer_to(GET * 5 + CLOSE)).count(b"answered") == 6
        assert await site.answer_to(GET.replace(b"plain", b"stream") + GET * 1000) == b""
        assert site.refused("pipelined") == 1


async def test_an_address_has_so_many_connections_and_a_trusted_proxy_any_number() -> None:
    async with bounded(proxies=("127.0.0.9",), per_address=2) as site:
        held = [await site.connected("127.0.0.2") for _ in range(2)]
        held += [await site.connected("127.0.0.9") for _ in range(5)]
        reader, _ = await site.connected("127.0.0.2")
        assert error_of(await reader.read()) == (503, "overloaded")
        held[0][1].close()
        await held[0][1].wait_closed()
        for address in ("127.0.0.2", "127.0.0.3", "127.0.0.9"):
            reader, writer = await site.connected(address)
            writer.write(GET)
            await reader.readuntil(b"answered")


async def test_when_all_places_are_taken_who_waits_longest_leaves_and_no_answer_is_cut() -> None:
    async with bounded(connections=3) as site:
        answered_reader, answered = await site.connected()
        answered.write(GET.replace(b"plain", b"stream"))
        await answered_reader.readuntil(b"first ")
        halves = [await site.connected() for _ in range(2)]
        for _, half in halves:
            half.write(GET[:-4])
        reader, writer = await site.connected()
        writer.write(GET)
        await reader.readuntil(b"answered")
        assert await halves[0][0].read() == b""
        site.goes_on.set()
        await answered_reader.readuntil(b"last")


async def test_when_everybody_is_being_answered_the_next_one_is_told_to_come_back() -> None:
    async with bounded(connections=2) as site:
        for _ in range(2):
            reader, writer = await site.connected()
            writer.write(GET.replace(b"plain", b"stream"))
            await reader.readuntil(b"first ")
        reader, _ = await site.connected()
        assert error_of(await reader.read()) == (503, "overloaded")
        site.goes_on.set()


@every_row(
    ("head", "status"),
    [
        pytest.param(b"GET /plain HTTP/1.1\r\n\r\n", 400, id="1.1 without Host"),
        pytest.param(b"GET /plain HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400, id="two of them"),
        pytest.param(b"GET /plain HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400, id="two of them in 1.0"),
        pytest.param(b"GET /plain HTTP/1.0\r\n\r\n", 200, id="1.0 without Host"),
        pytest.param(b"GET /plain HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 200, id="an empty one"),
    ],
)
async def test_a_request_names_one_host(head: bytes, status: int) -> None:
    async with bounded() as site:
        answer = await site.answer_to(head)
        assert int(answer.split()[1]) == status
        assert site.begun == (status == 200)
        assert site.refused("host") == (1 if status == 400 else None)


async def test_a_trailer_that_is_called_host_is_no_second_one() -> None:
    async with bounded() as site:
        assert b" 200 OK" in await site.answer_to(CHUNKED + b"0\r\nHost: b\r\n\r\n" + CLOSE)


async def test_what_was_refused_never_reaches_the_application() -> None:
    """Though all of it came at once."""
    async with bounded(headers=20) as site:
        answer = await site.answer_to(GET[:-2] + b"".join(b"A%d: a\r\n" % number for number in range(30)) + b"\r\n")
        assert error_of(answer) == (431, "headers_too_large")
        assert site.begun == 0
