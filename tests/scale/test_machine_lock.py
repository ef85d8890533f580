"""A lock among processes of several machines, on a real Postgres."""

from collections.abc import Iterator

import anyio
import pytest
from sqlalchemy import Engine

from app.store.engine import MachineLock, open_engine
from tests.doubles.postgres_server import PostgresServer


@pytest.fixture
def engine(server: PostgresServer) -> Iterator[Engine]:
    opened = open_engine(server.url)
    yield opened
    opened.dispose()


async def test_one_holds_it_at_a_time(engine: Engine) -> None:
    inside, most = 0, 0

    async def hold() -> None:
        nonlocal inside, most
        for _ in range(5):
            async with MachineLock(engine, "name")():
                inside += 1
                most = max(most, inside)
                await anyio.lowlevel.checkpoint()
                inside -= 1

    async with anyio.create_task_group() as holding:
        for _ in range(4):
            holding.start_soon(hold)
    assert most == 1


async def test_a_machine_that_stands_still_with_it_stops_no_other(engine: Engine) -> None:
    with anyio.fail_after(300):
        async with MachineLock(engine, "name", longest_seconds=0.2)(), MachineLock(engine, "name")():
            pass
        async with MachineLock(engine, "name")():
            pass
