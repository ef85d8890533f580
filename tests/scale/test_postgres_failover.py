"""Visitors ask while Postgres restarts, crashes and becomes a standby: through the whole service, which goes on by
itself."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import httpx2
import psycopg
import pytest
from sqlalchemy import Engine, text

from app.main import open_app
from app.settings import Settings, read_settings
from app.store.engine import open_engine
from app.store.secret_keys import new_key
from tests.doubles.fake_openai import FakeOpenAI, Pause, Say
from tests.doubles.postgres_server import Failure, PostgresServer, running_postgres
from tests.system.conftest import SITE, Running, Visitor, learnt_agent
from tests.web.live_server import FrameReader, serving

QUESTION = "How long is the warranty of a lamp?"
FAILURES: tuple[Failure, ...] = ("fast", "immediate", "standby", "read-only")


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI().running() as fake:
        yield fake


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer, provider: FakeOpenAI) -> Settings:
    return read_settings(
        data=tmp_path_factory.mktemp("data"),
        database_url=postgres.url,
        secret_key=new_key(),
        model_url=provider.url,
        model_name="fake",
        shutdown_seconds=1,
    )


@pytest.fixture(scope="module")
async def agent_id(settings: Settings) -> str:
    return await learnt_agent(settings)


@pytest.fixture(scope="module")
async def running(settings: Settings, agent_id: str) -> AsyncIterator[Running]:
    """One service, which sees all failures after each other."""
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, settings.data)


def stored(postgres: PostgresServer, turn_id: str) -> list[tuple[Any, ...]]:
    """The turn as it is stored: its state, the agent's text, and how often it has messages and was counted."""
    statement = """
    SELECT t.state, (SELECT text FROM messages WHERE turn_id = t.id AND role = 'agent'),
      (SELECT count(*) FROM messages WHERE turn_id = t.id), (SELECT count(*) FROM usage WHERE turn_id = t.id)
    FROM turns t WHERE t.id = %s
    """
    with psycopg.connect(postgres.url.replace("+psycopg", "")) as connection:
        return connection.execute(statement, (turn_id,)).fetchall()


async def post(running: Running, visitor: Visitor, turn_id: str) -> httpx2.Response:
    body = {"turn_id": turn_id, "message": QUESTION, "page_url": f"{SITE}/"}
    headers = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE}
    return await running.http.post("/v1/widget/messages", json=body, headers=headers)


async def until(reader: FrameReader, words: str) -> None:
    """Reads on until a token holds them."""
    while (told := await reader.next()) is not None and words not in told.get("token", ""):
        pass
    assert told is not None


@pytest.mark.parametrize("how", FAILURES)
async def test_a_question_is_refused_for_a_moment_and_then_answered_once(
    running: Running, postgres: PostgresServer, provider: FakeOpenAI, how: Failure
) -> None:
    provider.plays(Say(["3 years [1]."]))
    visitor, turn_id = await running.visitor(), str(uuid4())
    with postgres.failing(how):
        refused = await post(running, visitor, turn_id)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
        assert int(refused.headers["Retry-After"]) > 0
    answered = await post(running, visitor, turn_id)
    assert answered.json()["answered_by"] == "model", "at once, though its pool holds connections of before"
    assert stored(postgres, turn_id) == [("done", "3 years [1].", 2, 1)]


def test_only_a_connection_that_the_server_has_ended_is_replaced(postgres: PostgresServer) -> None:
    engine = open_engine(postgres.url)

    def server_process() -> int:
        with engine.connect() as connection:
            return int(connection.scalar(text("SELECT pg_backend_pid()")) or 0)

    first = server_process()
    assert [server_process() for _ in range(3)] == [first] * 3
    with postgres.failing("fast"):
        pass
    second = server_process()
    assert [server_process(), second != first] == [second, True]
    engine.dispose()


@pytest.mark.parametrize("how", FAILURES)
async def test_an_answer_under_way_is_kept_whole_and_once(
    running: Running, postgres: PostgresServer, provider: FakeOpenAI, how: Failure
) -> None:
    provider.plays(Pause(["The warranty "], ["is 3 years [1]."]))
    visitor, turn_id = await running.visitor(), str(uuid4())
    async with visitor.asking(QUESTION, turn_id) as reader:
        await until(reader, "warranty")
        with postgres.failing(how):
            provider.go_on()
            await until(reader, "years")
        assert (await reader.rest())[-1]["event"] in {"done", "error"}  # error: it took longer than visitors wait
    await until_stored(postgres, turn_id)
    assert stored(postgres, turn_id) == [("done", "The warranty is 3 years [1].", 2, 1)]
    assert (await visitor.rejoin(turn_id))[-1]["event"] == "done"


async def until_stored(postgres: PostgresServer, turn_id: str) -> None:
    async with asyncio.timeout(300):
        while stored(postgres, turn_id)[0][0] == "running":  # noqa: ASYNC110 - the record calls nobody
            await asyncio.sleep(0.05)


async def test_readiness_says_that_the_record_is_away_and_that_it_is_back(
    running: Running, postgres: PostgresServer
) -> None:
    assert (await running.http.get("/readyz")).status_code == 200
    with postgres.failing("immediate"):
        assert (await running.http.get("/readyz")).status_code == 503
        assert (await running.http.get("/healthz")).status_code == 200
    assert (await running.http.get("/readyz")).status_code == 200


async def test_a_process_ends_in_good_order_while_the_record_is_away(
    settings: Settings, agent_id: str, postgres: PostgresServer, provider: FakeOpenAI
) -> None:
    provider.plays(Pause(["The warranty "], ["is 3 years [1]."]))
    turn_id = str(uuid4())
    with ExitStack() as away:
        async with open_app(settings) as web, serving(web.app) as (_, http):
            visitor = await Running(http, agent_id, settings.data).visitor()
            async with visitor.asking(QUESTION, turn_id) as reader:
                await until(reader, "warranty")
                away.enter_context(postgres.failing("fast"))
    assert stored(postgres, turn_id) == [("running", None, 1, 0)], "the next process that finds it cuts it"


async def test_a_turn_that_was_begun_without_a_word_of_it_is_answered_when_it_is_asked_again(
    settings: Settings, agent_id: str, postgres: PostgresServer, provider: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server commits and is gone before it can say so."""
    provider.plays(Say(["3 years [1]."]))
    turn_id, is_lost = str(uuid4()), False

    def open_that_loses(url: str) -> Engine:
        engine = open_engine(url)
        commit = engine.dialect.do_commit

        def commit_and_lose(connection: Any) -> None:
            nonlocal is_lost
            commit(connection)
            if not is_lost and stored(postgres, turn_id):
                is_lost = True
                connection.driver_connection.close()
                raise psycopg.OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(engine.dialect, "do_commit", commit_and_lose)
        return engine

    monkeypatch.setattr("app.bootstrap.infrastructure.open_engine", open_that_loses)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        running = Running(http, agent_id, settings.data)
        visitor = await running.visitor()
        assert (await post(running, visitor, turn_id)).status_code == 503
        assert stored(postgres, turn_id) == [("running", None, 1, 0)]
        answered = await post(running, visitor, turn_id)
    assert answered.json()["answered_by"] == "model"
    assert stored(postgres, turn_id) == [("done", "3 years [1].", 2, 1)]
