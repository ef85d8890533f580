"""A provider's stream as it arrives, byte by byte, is read as the standard and common sense have it."""

import httpx2
import pytest

from app.providers.provider_events import ProviderEvents
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


def cut(sent: bytes, size: int) -> list[bytes]:
    return [sent[at : at + size] for at in range(0, len(sent), size)]


@pytest.mark.parametrize("border", [b"\n\n", b"\r\r", b"\r\n\r\n"])
def test_each_event_has_the_whole_bound_wherever_reads_are_cut(border: bytes) -> None:
    sent = (b"data: " + b"x" * 80 + border) * 50
    for size in (1, 7, 1000):
        events = ProviderEvents(max_event_bytes=90)
        assert [data for read in cut(sent, size) for data in events.feed(read)] == ["x" * 80] * 50


def test_signs_of_life_between_events_count_for_none_of_them() -> None:
    events = ProviderEvents(max_event_bytes=90)
    reads = [b": ping\n", b"data: x\n\n"] * 50
    assert [data for read in reads for data in events.feed(read)] == ["x"] * 50


def test_nothing_is_read_beyond_the_closing_event() -> None:
    events = ProviderEvents()
    assert [data for _ in range(2) for data in events.feed(b"data: x\n\n")] == ["x", "x"]
    assert events.feed(b"data: [DONE]\n\n") == []
    assert events.is_done
    assert events.feed(b"data: x\n\n") == []


def test_no_more_is_taken_than_the_bound_and_one_read() -> None:
    events = ProviderEvents(max_event_bytes=800)
    for read in [b"data: x\n"] * 100:
        assert events.feed(read) == []
    with pytest.raises(httpx2.RemoteProtocolError):
        events.feed(b"data: x\n")


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_read_as_the_standard_has_them(size: int) -> None:
    sent = (
        b"\xef\xbb\xbfdata: after a byte order mark\n\n"
        b"data:one\r\ndata:  two\r\n\r\n"
        b": a comment\rid: 7\rdata\rdata:\r\r"
        b"database: no field of ours\n\n"
        b"data: gr\xc3\xbc\xc3\x9fe\n\n"
        b"data: never ended\n"
    )
    events = ProviderEvents()
    read = [data for part in cut(sent, size) for data in events.feed(part)]
    assert read == ["after a byte order mark", "one\n two", "gr\u00fc\u00dfe"]
    assert not events.is_done


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_nothing_is_read_after_the_end(size: int) -> None:
    events = ProviderEvents()
    read = [data for part in cut(b"data: a\n\ndata: [DONE]\n\ndata: b\n\n", size) for data in events.feed(part)]
    assert events.is_done
    assert read == ["a"]
