"""/metrics of several web processes: one text, whichever of them is asked."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.parser import text_string_to_metric_families

from app.cli.serving import web_server
from app.cli.serving.web_server import metrics_of_group


@pytest.fixture
def folder() -> Iterator[Path]:
    """A path of a socket is short."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def registry(answers: int) -> CollectorRegistry:
    made = CollectorRegistry()
    Counter("docent_streams", "Answer streams.", ["end"], registry=made).labels("done").inc(answers)
    Histogram("docent_seconds", "How long.", buckets=(1, 5), registry=made).observe(answers)
    return made


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    """By name, process, and the values of other labels."""
    return {
        (sample.name, sample.labels.pop("process"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


async def test_each_process_is_told_apart(folder: Path) -> None:
    async with (
        metrics_of_group(registry(2), folder / "1.sock") as first,
        metrics_of_group(registry(3), folder / "2.sock") as second,
    ):
        text = await first()
        assert samples(text)["docent_streams_total", "1", "done"] == 2
        assert samples(text)["docent_streams_total", "2", "done"] == 3
        assert samples(text)["docent_seconds_bucket", "2", "5.0"] == 1
        assert samples(await second()) == samples(text)
        assert text.count(b"# TYPE docent_streams_total counter") == 1


async def test_one_that_has_died_is_left_out_and_takes_its_place_again(folder: Path) -> None:
    async with metrics_of_group(registry(2), folder / "1.sock") as first:
        async with metrics_of_group(registry(3), folder / "2.sock"):
            assert ("docent_streams_total", "2", "done") in samples(await first())
        (folder / "2.sock").touch()  # as one leaves it that is killed
        assert ("docent_streams_total", "2", "done") not in samples(await first())
        async with metrics_of_group(registry(4), folder / "2.sock"):
            assert samples(await first())["docent_streams_total", "2", "done"] == 4


async def test_one_that_hangs_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "_PATIENCE_SECONDS", 0.1)

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with (
        await asyncio.start_unix_server(hang, folder / "2.sock"),
        metrics_of_group(registry(2), folder / "1.sock") as first,
    ):
        assert samples(await first())["docent_streams_total", "1", "done"] == 2


async def test_a_folder_without_sockets_has_each_process_tell_its_own(folder: Path) -> None:
    async with metrics_of_group(registry(2), folder / ("long" * 30) / "1.sock") as first:
        assert b'docent_streams_total{end="done"} 2' in await first()
