"""Real input that nobody here wrote: PostgreSQL's manual is crawled by the real processes and asked about.

Each question carries the pages that truly answer it; the answer must cite one of them.
"""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from app.cli.command_question import AnswerReport
from tests.real_docs.postgresql_manual import CHAPTERS, MAX_PAGES, Manual, manual_online
from tests.real_docs.questions import QUESTIONS, RIGHT_ENOUGH
from tests.real_docs.running_docent import RunningDocent, is_running, running_docent, soon

CRAWL_SECONDS = 1800
ENOUGH_TO_KILL = 60  # pages indexed when the worker is killed

pytestmark = pytest.mark.timeout(4000)


@dataclass
class ReadManual:
    """A running Docent that has read the manual."""

    docent: RunningDocent
    manual: Manual
    agent_id: str
    source_id: str
    seconds: float

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = self.docent.client.get(f"/v1/sources/{self.source_id}")["run"]
        return found

    def learnt(self) -> list[tuple[Any, ...]]:
        """Every live chunk, by its page's address and its text."""
        return self.docent.rows(
            "SELECT documents.url, chunks.position, chunks.text FROM chunks "
            "JOIN document_versions ON document_versions.id = chunks.version_id "
            "JOIN documents ON documents.id = document_versions.document_id "
            "WHERE document_versions.state = 'live' AND documents.source_id = ? "
            "ORDER BY documents.url, chunks.position",
            UUID(self.source_id).bytes,
        )

    def cited_pages(self) -> list[frozenset[str]]:
        """For each question, the manual's pages that its answer cites."""
        return [self._cited(question.text) for question in QUESTIONS]

    def _cited(self, question: str) -> frozenset[str]:
        client, origin, page = self.docent.client, self.manual.origin, self.manual.start
        report = AnswerReport(question)
        for event in client.ask(client.open_conversation(self.agent_id, page, origin), question, page, origin):
            report.take(event, 0.0)
        return frozenset(urlsplit(citation["url"]).path.rsplit("/", 1)[-1] for citation in report.citations)


def hits(cited: list[frozenset[str]]) -> list[bool]:
    """Whether each question's answer cites a right page; printed as a table."""
    found = [bool(question.right_pages & pages) for question, pages in zip(QUESTIONS, cited, strict=True)]
    for question, pages, hit in zip(QUESTIONS, cited, found, strict=True):
        print(f"{'hit ' if hit else 'MISS'} {question.text}  ->  {', '.join(sorted(pages)) or 'nothing'}")  # noqa: T201
    return found


def begin(docent: RunningDocent, manual: Manual) -> tuple[str, str]:
    """An agent and its source, whose crawl is asked for."""
    client = docent.client
    agent_id = client.post("/v1/agents", {"name": "Manual", "allowed_origins": [manual.origin]})["id"]
    client.post(f"/v1/agents/{agent_id}/publish")
    source = {"kind": "site", "name": "PostgreSQL", "url": manual.start, "include": CHAPTERS, "max_pages": MAX_PAGES}
    source_id = client.post(f"/v1/agents/{agent_id}/sources", source)["id"]
    client.post(f"/v1/sources/{source_id}/sync")
    return agent_id, source_id


def finished(docent: RunningDocent, source_id: str) -> dict[str, Any]:
    """The run, when it has come to its end."""

    def look() -> dict[str, Any] | None:
        run: dict[str, Any] = docent.client.get(f"/v1/sources/{source_id}")["run"]
        assert run["state"] in {"queued", "running", "finished"}, run
        return run if run["state"] == "finished" else None

    return soon(look, "the crawl ends", CRAWL_SECONDS, look_seconds=1)


def assert_nothing_stands_twice(docent: RunningDocent) -> None:
    assert docent.rows("SELECT url FROM documents GROUP BY source_id, url HAVING count(*) > 1") == []
    live = "SELECT document_id, count(*) FROM document_versions WHERE state = 'live' GROUP BY document_id"
    assert [row for row in docent.rows(live) if row[1] != 1] == []
    assert docent.rows("SELECT count(*) FROM document_versions WHERE state = 'pending'") == [(0,)]
    unsettled = "SELECT count(*) FROM source_pages WHERE queue_state <> 'settled'"
    assert docent.rows(unsettled) == [(0,)]
    report = docent.command("doctor", "--json")
    assert report["healthy"], report["findings"]
    for agent in report["agents"]:
        assert agent["chunks"] == agent["vectors"] == agent["keywords"] > 0
        assert agent["astray"] == 0


@pytest.fixture(scope="module")
def manual() -> Iterator[Manual]:
    with manual_online() as online:
        yield online


@pytest.fixture(scope="module")
def read(manual: Manual, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadManual]:
    """Read in one go."""
    with running_docent(tmp_path_factory.mktemp("undisturbed") / "data", manual.endpoint) as docent:
        began = time.monotonic()
        agent_id, source_id = begin(docent, manual)
        finished(docent, source_id)
        yield ReadManual(docent, manual, agent_id, source_id, time.monotonic() - began)


@pytest.fixture(scope="module")
def cited(read: ReadManual) -> list[frozenset[str]]:
    return read.cited_pages()


def test_at_least_200_pages_are_read(read: ReadManual) -> None:
    indexed = read.run["counts"]["indexed"]
    print(f"{indexed} pages in {read.seconds:.0f} s, {indexed / read.seconds:.1f} a second")  # noqa: T201
    assert indexed >= 200
    assert_nothing_stands_twice(read.docent)


def test_ten_of_twelve_questions_are_answered_from_the_right_page(cited: list[frozenset[str]]) -> None:
    assert sum(hits(cited)) >= RIGHT_ENOUGH


def test_a_crawl_whose_worker_is_killed_goes_on_and_ends_the_same(
    manual: Manual, read: ReadManual, cited: list[frozenset[str]]
) -> None:
    """By a second agent beside the first, whose vectors serve it too: what is read, cut and indexed is all its own."""
    docent, vectors = read.docent, "SELECT count(*) FROM embedding_cache"
    embedded = docent.rows(vectors)
    began = time.monotonic()
    agent_id, source_id = begin(docent, manual)
    after = ReadManual(docent, manual, agent_id, source_id, 0)
    soon(
        lambda: after.run["counts"].get("indexed", 0) >= ENOUGH_TO_KILL,
        f"{ENOUGH_TO_KILL} pages are indexed",
        CRAWL_SECONDS,
    )
    killed = soon(docent.worker, "there is a worker", 120)
    os.kill(killed, signal.SIGKILL)
    assert after.run["state"] == "running", "it was killed in the middle"
    soon(lambda: docent.worker() not in {None, killed}, "another worker has taken its place", 300)
    run = finished(docent, source_id)
    print(f"killed and read to the end in {time.monotonic() - began:.0f} s")  # noqa: T201
    assert after.learnt() == read.learnt()
    assert docent.rows(vectors) == embedded
    # A page that was learnt and not yet ticked off when the worker died is found unchanged by the next.
    assert run["counts"]["indexed"] + run["counts"].get("unchanged", 0) == read.run["counts"]["indexed"]
    assert_nothing_stands_twice(docent)
    assert hits(after.cited_pages()) == hits(cited)


def test_an_unchanged_manual_is_read_again_without_embedding_a_chunk(read: ReadManual) -> None:
    before = read.docent.rows("SELECT count(*) FROM embedding_cache"), read.docent.rows("SELECT id FROM chunks")
    read.docent.client.post(f"/v1/sources/{read.source_id}/sync")
    counts = finished(read.docent, read.source_id)["counts"]
    assert counts.get("indexed", 0) == 0
    assert counts["unchanged"] >= 200
    after = read.docent.rows("SELECT count(*) FROM embedding_cache"), read.docent.rows("SELECT id FROM chunks")
    assert after == before


def test_a_signal_ends_every_process_in_good_order(read: ReadManual) -> None:
    """The last of this module: it ends what the others use."""
    children = read.docent.descendants()
    read.docent.serve.send_signal(signal.SIGTERM)
    assert read.docent.serve.wait(120) == 0
    soon(lambda: not any(is_running(pid) for pid in children), "the children have ended", 60)
