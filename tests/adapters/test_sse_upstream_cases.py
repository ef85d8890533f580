"""A provider's stream as it arrives, byte by byte, is read as the standard and common sense have it."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from app.adapters.watched_events import watching
from tests.cases.case_rows import Row, load_rows, parameters
from tests.cases.sse_upstream_cases import run_upstream_row
from tests.doubles.fake_openai import FakeOpenAI

ROWS = [row for row in load_rows("sse_cases.jsonl") if row["kind"] == "upstream"]


@pytest.mark.parametrize("row", parameters(ROWS))
async def test_what_the_provider_sent_is_what_is_read(row: Row, fake_openai: FakeOpenAI) -> None:
    await run_upstream_row(row, fake_openai)


async def test_an_event_without_an_end_is_not_kept(fake_openai: FakeOpenAI) -> None:
    """What the acceptance rows may ask of any reader, in a row of our own."""
    row = {
        "id": "endless",
        "chunks_b64": ["ZGF0YTogeyJjaG9pY2VzIjpbXX0KCg=="],  # data: {"choices":[]}
        "repeat_last_chunk_b64": "ZGF0YTogeHh4eHh4eHh4eHh4eHh4Cg==",
        "repeat_times": 5000,
        "max_buffer_bytes": 4096,
        "expected_text": "",
        "expected_outcome": "error",
    }
    await run_upstream_row(row, fake_openai)


class Reads(httpx2.AsyncByteStream):
    def __init__(self, *chunks: bytes) -> None:
        self.chunks, self.taken = chunks, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            self.taken += len(chunk)
            yield chunk


async def bounded(stream: Reads, limit: int) -> bytes:
    response = httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=stream)
    await watching(limit)(response)
    return b"".join([chunk async for chunk in response.aiter_raw()])


@pytest.mark.parametrize("border", [b"\n\n", b"\r\r", b"\r\n\r\n"])
async def test_each_event_has_the_whole_bound_wherever_reads_are_cut(border: bytes) -> None:
    sent = (b"data: " + b"x" * 80 + border) * 50
    for size in (1, 7, 1000):
        reads = Reads(*(sent[at : at + size] for at in range(0, len(sent), size)))
        assert await bounded(reads, 1000 + 90) == sent


async def test_no_more_is_taken_than_the_bound_and_one_read() -> None:
    reads = Reads(*[b"data: x\n"] * 1000)
    with pytest.raises(httpx2.RemoteProtocolError):
        await bounded(reads, 800)
    assert reads.taken <= 800 + 8
