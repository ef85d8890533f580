"""What `docent doctor --stream` says of a stream: how it came, and who held it back."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence

import httpx
import pytest

from app.cli.serving.stream_check import StreamUnreadable, check_stream, likely_causes
from app.web.health import PROBE_EVENTS
from tests.every_row import every_row


class ScriptedStream(httpx.AsyncByteStream):
    """Each piece after a pause of `pause_seconds`."""

    def __init__(self, pieces: Sequence[bytes], pause_seconds: float) -> None:
        self._pieces = pieces
        self._pause_seconds = pause_seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            await asyncio.sleep(self._pause_seconds)
            yield piece


def answering(
    pieces: Sequence[bytes], headers: Mapping[str, str] | None = None, status: int = 200, pause_seconds: float = 0.02
) -> httpx.MockTransport:
    sent = {"Content-Type": "text/event-stream", **(headers or {})}
    return httpx.MockTransport(
        lambda request: httpx.Response(status, headers=sent, stream=ScriptedStream(pieces, pause_seconds))
    )


TICKS = [
    f"id: {number}\nevent: tick\ndata: {json.dumps({'event': 'tick', 'sent_ms': number * 20.0})}\n\n".encode()
    for number in range(PROBE_EVENTS + 1)
]


async def test_a_stream_that_comes_as_it_is_sent_is_live() -> None:
    report = await check_stream("http://docent.example/", answering(TICKS, {"Server": "nginx"}))
    assert (report.url, report.events, report.pieces) == ("http://docent.example/healthz/stream", 21, 21)
    assert report.is_live
    assert "holds the stream back" in report.in_words()


async def test_a_stream_that_comes_in_one_piece_is_held_back() -> None:
    report = await check_stream("http://docent.example", answering([b"".join(TICKS)], {"Server": "nginx/1.22"}))
    assert (report.pieces, round(report.worst_delay_ms)) == (1, PROBE_EVENTS * 20)
    assert not report.is_live
    [cause] = report.causes
    assert "proxy_buffering off" in cause


async def test_a_stream_in_a_few_clumps_is_held_back() -> None:
    clumps = [b"".join(TICKS[start : start + 7]) for start in range(0, len(TICKS), 7)]
    report = await check_stream("http://docent.example", answering(clumps))
    assert (report.pieces, report.is_live) == (3, False)


async def test_events_that_are_torn_between_two_reads_are_put_together() -> None:
    whole = b"".join(TICKS)
    torn = [whole[at : at + 33] for at in range(0, len(whole), 33)]
    assert (await check_stream("http://docent.example", answering(torn, pause_seconds=0.01))).events == PROBE_EVENTS + 1


@pytest.mark.parametrize(
    ("transport", "said"),
    [
        pytest.param(answering([b"{}"], {"Content-Type": "application/json"}, 404), "answered 404", id="not Docent"),
        pytest.param(answering([b"<html>"], {"Content-Type": "text/html"}), "text/html", id="a page"),
        pytest.param(answering(TICKS[:5]), "after 5 of 21 events", id="broken off"),
    ],
)
async def test_what_is_no_test_stream_is_said_to_be_none(transport: httpx.MockTransport, said: str) -> None:
    with pytest.raises(StreamUnreadable, match=said):
        await check_stream("http://docent.example", transport)


async def test_a_server_that_is_not_there_is_said_not_to_be() -> None:
    with pytest.raises(StreamUnreadable, match="could not be read"):
        await check_stream("http://127.0.0.1:1")


@every_row(
    ("headers", "named"),
    [
        ({"server": "nginx/1.25.3"}, "nginx buffers"),
        ({"server": "cloudflare", "cf-ray": "8a"}, "Cloudflare"),
        ({"Via": "1.1 Caddy"}, "flush_interval"),
        ({"Server": "Apache/2.4.57 (Debian)"}, "flushpackets"),
        ({"content-encoding": "br"}, "compresses the stream (br)"),
        ({"content-length": "1800"}, "Content-Length"),
        ({"x-varnish": "32770"}, "do_stream"),
        ({"X-Amz-Cf-Id": "x"}, "CloudFront"),
        ({}, "leaves no name"),
    ],
)
def test_who_holds_the_stream_back_is_named_by_its_headers(headers: dict[str, str], named: str) -> None:
    [cause] = likely_causes(headers)
    assert named in cause


def test_all_who_may_hold_it_back_are_named() -> None:
    assert len(likely_causes({"content-encoding": "gzip", "server": "nginx"})) == 2
