"""Visitors ask while Redis misbehaves, through the whole service: nobody waits for it, and nothing is lost."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from app.main import open_app
from app.settings import read_settings
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.scale.redis_server import RedisServer, running_redis
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

QUESTION = "How long is the warranty of a lamp?"
TURNS = 6


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
async def learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The data folder of an agent, and the agent's id."""
    folder = tmp_path_factory.mktemp("learnt")
    return folder, await learnt_agent(read_settings(data=folder))


@pytest.fixture
async def running(tmp_path: Path, learnt: tuple[Path, str], server: RedisServer) -> AsyncIterator[Running]:
    folder, agent_id = learnt
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    server.empty()
    settings = read_settings(data=tmp_path, redis_url=server.url, metrics_token=METRICS_TOKEN, shutdown_seconds=1)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, tmp_path)


@contextmanager
def refusing(server: RedisServer) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextmanager
def restarted(server: RedisServer) -> Iterator[None]:
    server.stop()
    server.start()
    yield


Fault = Callable[[RedisServer], AbstractContextManager[None]]


@pytest.mark.parametrize(
    ("fault", "openings"),
    [
        pytest.param(lambda server: nullcontext(), 0, id="none"),
        pytest.param(refusing, 1, id="refused"),
        pytest.param(RedisServer.hanging, 1, id="hanging"),
        pytest.param(RedisServer.full, 0, id="full"),
        pytest.param(restarted, 0, id="restarted"),
    ],
)
async def test_every_turn_is_answered_and_stored_and_redis_is_left_alone_after_three_failures(
    running: Running, server: RedisServer, fault: Fault, openings: int
) -> None:
    visitors = [await running.visitor() for _ in range(TURNS)]
    await visitors[0].ask(QUESTION)  # connections are open, a ranking is kept

    with fault(server):
        # Asked within the cool-down, so that "left alone" means three calls and no fourth.
        ends = [events[-1] for events in await asyncio.gather(*(visitor.ask(QUESTION) for visitor in visitors))]
        metrics = await read_metrics(running.http)

    assert [end["event"] for end in ends] == ["done"] * TURNS
    assert {end["answered_by"] for end in ends} == {"extractive"}
    assert running.rows("SELECT state, count(*) FROM turns GROUP BY state") == [("done", TURNS + 1)]
    assert f'docent_circuit_openings_total{{part="redis"}} {openings}.0' in metrics


async def test_history_comes_from_the_record_while_redis_is_away(running: Running, server: RedisServer) -> None:
    visitor = await running.visitor()
    await visitor.ask(QUESTION)
    with refusing(server):
        events = await visitor.ask("And what does it cover?")
    assert events[-1]["event"] == "done"
    [(standalone,)] = running.rows("SELECT json_extract(trace, '$.standalone') FROM turns WHERE position = 2")
    assert "warranty" in standalone
