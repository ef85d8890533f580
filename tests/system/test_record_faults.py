"""Visitors ask while the database is locked or its disk is full: through the whole service."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import Engine, event

from app.main import open_app
from app.settings import read_settings
from app.store.engine import open_engine
from tests.doubles.fake_openai import FakeOpenAI, Pause, Say
from tests.system.conftest import SITE, Running, Visitor, learnt_agent
from tests.web.live_server import serving

QUESTION = "How long is the warranty of a lamp?"
MORE_THAN_A_PAGE = "お願いします。" * 220  # 4,620 bytes: more than the gaps in a database's pages hold


class Disk:
    """Under the service's database. While it is full, the file has no page to give."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_full = False

    def open_engine(self, url: str) -> Engine:
        engine = open_engine(url)
        event.listen(engine, "checkout", self._limit)
        return engine

    @contextmanager
    def full(self) -> Iterator[None]:
        with closing(sqlite3.connect(self._path)) as record:
            record.execute("VACUUM")  # pages that were given back would be used first
        self._is_full = True
        try:
            yield
        finally:
            self._is_full = False

    def _limit(self, connection: Any, _record: Any, _proxy: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA page_count")
        [pages] = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages if self._is_full else 2**31}")
        cursor.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """By another program."""
        with closing(sqlite3.connect(self._path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    def fails(self, how: str) -> AbstractContextManager[None]:
        return self.full() if how == "full" else self.locked()


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "docent.sqlite")


@pytest.fixture
async def on_disk(
    tmp_path: Path, disk: Disk, provider: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    """Its own waits are short, so that a lock is not waited for."""
    settings = read_settings(data=tmp_path, model_url=provider.url, model_name="fake", shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    monkeypatch.setattr("app.bootstrap.infrastructure.open_engine", disk.open_engine)
    monkeypatch.setattr("app.store.engine._BUSY_SECONDS", 0)
    monkeypatch.setattr("app.turns.turn_end_store.PATIENCE_SECONDS", 0)
    monkeypatch.setattr("app.turns.turn_end_store._AGAIN_SECONDS", (0.05,))
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, tmp_path)


def long_question(turn_id: str) -> dict[str, str]:
    return {"turn_id": turn_id, "message": f"{QUESTION} {MORE_THAN_A_PAGE}", "page_url": f"{SITE}/"}


async def post(running: Running, visitor: Visitor, body: dict[str, str]) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE}
    return await running.http.post("/v1/widget/messages", json=body, headers=headers)


@pytest.mark.parametrize(("how", "code"), [("full", "unavailable"), ("locked", "overloaded")])
async def test_a_question_that_cannot_be_stored_is_refused_and_nothing_of_it_is_left(
    on_disk: Running, disk: Disk, provider: FakeOpenAI, how: str, code: str
) -> None:
    provider.plays(Say(["3 years [1]."]))
    visitor, body = await on_disk.visitor(), long_question(str(uuid4()))
    with disk.fails(how):
        refused = await post(on_disk, visitor, body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, code)
        assert int(refused.headers["Retry-After"]) > 0
        assert on_disk.rows("SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM messages)") == [(0, 0)]

    assert (await post(on_disk, visitor, body)).json()["answered_by"] == "model"
    assert on_disk.rows("PRAGMA integrity_check") == [("ok",)]
    assert on_disk.rows("SELECT state FROM turns") == [("done",)]


@pytest.mark.parametrize("how", ["full", "locked"])
async def test_an_answer_whose_end_cannot_be_stored_is_kept_whole_as_soon_as_it_can(
    on_disk: Running, disk: Disk, provider: FakeOpenAI, how: str
) -> None:
    provider.plays(Pause(["The warranty "], ["is 3 years [1]. ", MORE_THAN_A_PAGE]))
    visitor, shown = await on_disk.visitor(), ""
    async with visitor.asking(QUESTION, str(uuid4())) as reader:
        while (told := await reader.next()) is not None and told["event"] != "token":
            pass
        assert told is not None
        shown += told["token"]
        with disk.fails(how):
            provider.go_on()
            events = await reader.rest()
            assert on_disk.rows("SELECT state FROM turns") == [("running",)]
            assert on_disk.rows("SELECT count(*) FROM messages WHERE role = 'agent'") == [(0,)]
    shown += "".join(event["token"] for event in events if event["event"] == "token")
    assert (events[-1]["event"], events[-1]["code"], events[-1]["retryable"]) == ("error", "unavailable", True)

    async with asyncio.timeout(10):
        while on_disk.rows("SELECT state FROM turns") != [("done",)]:  # noqa: ASYNC110 - the record calls nobody
            await asyncio.sleep(0.02)
    assert on_disk.rows("SELECT text FROM messages WHERE role = 'agent'") == [(shown,)]
    assert on_disk.rows("SELECT count(*) FROM usage") == [(1,)]
    assert on_disk.rows("SELECT count(*) FROM citations") == [(1,)]
    provider.plays(Say(["3 years [1]."]))
    assert (await visitor.ask(QUESTION))[-1]["event"] == "done"
