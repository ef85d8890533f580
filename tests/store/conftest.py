"""An empty, migrated database for each test, and something in it.

With DOCENT_TEST_POSTGRES set, every test runs on Postgres as well: on the database at that URL, which may be emptied,
or, set to "own", on a server that is started for them.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Engine

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.core.turn import VisitorSession
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import Source, SourceConfig
from app.store.engine import open_engine
from app.store.migrate import migrate
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.postgres_server import running_postgres
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import add_workspace

_POSTGRES = os.environ.get("DOCENT_TEST_POSTGRES")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    if _POSTGRES != "own":
        yield str(_POSTGRES)
        return
    with running_postgres() as server:
        yield server.migrated_database()


@pytest.fixture(params=["sqlite", "postgres"] if _POSTGRES else ["sqlite"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    if request.param == "sqlite":
        opened = open_engine(await temporary_database(tmp_path))
    else:
        opened = open_engine(request.getfixturevalue("postgres_url"))
        migrate(opened)
        emptying = "".join(f"DELETE FROM {table.name};" for table in reversed(all_tables().sorted_tables))
        with opened.begin() as connection:
            connection.exec_driver_sql(f"DO $$ BEGIN {emptying} END $$")
    try:
        yield opened
    finally:
        opened.dispose()


@pytest.fixture
def record(engine: Engine, clock: FixedClock) -> SystemOfRecord:
    return SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS)


@pytest.fixture
async def workspace_id(record: SystemOfRecord) -> UUID:
    return await record.write(lambda tx: TokenRecords(tx).default_workspace())


@pytest.fixture
async def foreign_workspace_id(engine: Engine, workspace_id: UUID) -> UUID:
    return await add_workspace(engine)


@pytest.fixture
async def agent(record: SystemOfRecord, workspace_id: UUID) -> Agent:
    return await record.write(lambda tx: AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada")))


@pytest.fixture
async def source(record: SystemOfRecord, agent: Agent) -> Source:
    return await record.write(
        lambda tx: SourceRecords(tx).create(
            agent.id, SourceConfig(kind=kinds.SITE, name="Docs", url="https://docs.example/")
        )
    )


@pytest.fixture
async def session(record: SystemOfRecord, workspace_id: UUID, agent: Agent) -> VisitorSession:
    """A visitor with an open conversation."""
    return await visitor_of(record, workspace_id, agent.id)
