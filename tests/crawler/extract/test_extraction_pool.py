"""The pool with workers that behave and workers that do not; each double is a small process of its own."""

import os
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import pytest

from crawler.errors import ExtractionFailed
from crawler.extract.extraction_pool import ExtractionPool, Extractor
from crawler.extract.page import Page
from crawler.worker_processes import WorkerReady

URL = "https://docs.example.com/start"
HTML = b"<title>Start</title><main><h1>Start</h1><p>Press the green button and wait for the light.</p></main>"


def _page(markdown: str) -> Page:
    return Page(url=URL, canonical_url=URL, title="t", markdown=markdown)


def answer_with_process_id(pipe: Connection) -> None:
    """Answers every page with its process id; a page saying "hang" never ends, one saying "die" kills the process."""
    pipe.send(WorkerReady())
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        if request.body == b"hang":
            threading.Event().wait()
        if request.body.startswith(b"die"):
            os._exit(3)
        marker = request.body.decode().removeprefix("die once: ")
        pipe.send(_page(f"{os.getpid()} {marker}"))


def die_unless_marked(pipe: Connection) -> None:
    """Dies at the first page it ever sees and leaves a mark; the next process finds it and answers."""
    pipe.send(WorkerReady())
    mark = Path(pipe.recv().body.decode())
    if not mark.exists():
        mark.touch()
        os._exit(1)
    pipe.send(_page("read at the second try"))
    pipe.recv()


async def test_a_page_is_read_in_another_process() -> None:
    async with ExtractionPool() as pool:
        extractor: Extractor = pool
        page = await extractor.extract(HTML, URL, "utf-8")
    assert page.title == "Start"
    assert page.markdown == "# Start\n\nPress the green button and wait for the light."


async def test_pages_one_after_the_other_share_a_process() -> None:
    async with ExtractionPool(serve=answer_with_process_id) as pool:
        first = await pool.extract(b"", URL, None)
        second = await pool.extract(b"", URL, None)
    assert first.markdown == second.markdown
    assert int(first.markdown) != os.getpid()


async def test_no_more_processes_than_allowed_are_started() -> None:
    found = set()
    async with ExtractionPool(max_workers=2, serve=answer_with_process_id) as pool:

        async def read() -> None:
            found.add((await pool.extract(b"", URL, None)).markdown)

        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(read)
    assert 1 <= len(found) <= 2


async def test_a_page_that_takes_too_long_fails_and_the_next_one_is_read() -> None:
    async with ExtractionPool(timeout_seconds=0.2, serve=answer_with_process_id) as pool:
        before = await pool.extract(b"", URL, None)
        with pytest.raises(ExtractionFailed, match=r"longer than 0\.2 s"):
            await pool.extract(b"hang", URL, None)
        after = await pool.extract(b"", URL, None)
    assert before.markdown != after.markdown  # the process that hung was killed


async def test_a_page_whose_process_dies_is_tried_once_more(tmp_path: Path) -> None:
    async with ExtractionPool(serve=die_unless_marked) as pool:
        page = await pool.extract(str(tmp_path / "mark").encode(), URL, None)
    assert page.markdown == "read at the second try"


async def test_a_page_that_kills_every_process_fails_and_the_pool_lives_on() -> None:
    async with ExtractionPool(serve=answer_with_process_id) as pool:
        with pytest.raises(ExtractionFailed, match="crashed twice"):
            await pool.extract(b"die", URL, None)
        assert (await pool.extract(b"", URL, None)).markdown


async def test_closing_ends_pages_that_are_being_read() -> None:
    pool = ExtractionPool(serve=answer_with_process_id)
    await pool.extract(b"", URL, None)

    async def hang() -> None:
        with pytest.raises(ExtractionFailed):
            await pool.extract(b"hang", URL, None)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hang)
            await anyio.lowlevel.checkpoint()
            await pool.aclose()
            await pool.aclose()


async def test_a_closed_pool_says_so() -> None:
    pool = ExtractionPool()
    await pool.aclose()
    with pytest.raises(ExtractionFailed, match="closed"):
        await pool.extract(HTML, URL, None)


async def test_a_cancelled_page_frees_its_place() -> None:
    async with ExtractionPool(serve=answer_with_process_id) as pool:
        await pool.extract(b"", URL, None)
        with anyio.move_on_after(0.05) as scope:
            await pool.extract(b"hang", URL, None)
        assert scope.cancelled_caught
        with anyio.fail_after(120):
            assert (await pool.extract(b"", URL, None)).markdown
