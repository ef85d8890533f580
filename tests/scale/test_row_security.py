"""Postgres itself keeps workspaces apart: where a query forgets whose rows it is about, none of another come."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, Executable, Table, delete, event, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import DatabaseAway, NotFound
from app.store.engine import open_engine
from app.store.row_security import SHARED_TABLES, WorkspaceScope, settle_role, unprotected_tables
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables
from app.store.tables.agents import AGENTS, WORKSPACES
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.postgres_record import ROLE
from tests.doubles.postgres_server import PostgresServer
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.store.filled_tables import ROWS, fill

TABLES = all_tables().sorted_tables
KEPT_APART = [table for table in TABLES if table.name not in SHARED_TABLES]


def name_of(table: Table) -> str:
    return table.name


@pytest.fixture(scope="module")
def filled(server: PostgresServer) -> Iterator[Engine]:
    """As many workspaces as there are rows in each table: one of each is theirs."""
    engine = open_engine(server.migrated_database())
    settle_role(engine, ROLE)
    fill(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def record(filled: Engine) -> SystemOfRecord:
    return record_on(filled)


def record_on(engine: Engine) -> SystemOfRecord:
    return SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS, ROLE)


@pytest.fixture
def ours(filled: Engine) -> Iterator[Connection]:
    """A transaction of the first workspace, which is undone."""
    with filled.connect() as connection:
        WorkspaceScope.of_workspace(ROLE, workspaces(filled)[0]).enter(connection)
        yield connection


def workspaces(engine: Engine) -> list[UUID]:
    """The owner of the first row of each table comes first."""
    with engine.connect() as connection:
        agents = connection.execute(select(AGENTS.c.id, AGENTS.c.workspace_id)).all()
        return [agent.workspace_id for agent in agents]


def count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def key_of(table: Table, row: Any) -> Any:
    return tuple(row._mapping[column] for column in table.primary_key)


# Tables


def test_every_table_has_a_policy_or_a_reason(filled: Engine) -> None:
    with filled.connect() as connection:
        assert unprotected_tables(connection) == []
    names = {table.name for table in TABLES}
    assert names > SHARED_TABLES.keys()
    assert all(SHARED_TABLES.values())


def test_a_query_without_a_filter_sees_what_is_ours(ours: Connection, filled: Engine) -> None:
    with filled.connect() as everything:
        assert {table.name: count(everything, table) for table in TABLES} == dict.fromkeys(map(name_of, TABLES), ROWS)
    assert {table.name: count(ours, table) for table in TABLES} == {
        table.name: ROWS if table.name in SHARED_TABLES else 1 for table in TABLES
    }


def test_a_change_without_a_filter_changes_what_is_ours(ours: Connection) -> None:
    for table in KEPT_APART:
        column = next(column for column in table.columns if not column.primary_key)
        with undone(ours):
            [own] = ours.execute(select(table)).all()
            assert ours.execute(update(table).values({column: own._mapping[column]})).rowcount == 1, table.name
            assert ours.execute(delete(table)).rowcount == 1, table.name


@contextmanager
def undone(connection: Connection) -> Iterator[None]:
    with connection.begin_nested() as step:
        yield
        step.rollback()


def test_nothing_is_put_beside_what_is_theirs_and_nothing_of_ours_is_given_to_them(
    ours: Connection, filled: Engine
) -> None:
    for table in KEPT_APART:
        with filled.connect() as everything:
            [own] = ours.execute(select(table)).all()
            theirs = next(row for row in everything.execute(select(table)) if key_of(table, row) != key_of(table, own))
        assert is_refused(ours, insert(table).values(dict(theirs._mapping))), table.name
        if table is not WORKSPACES:
            parents = [column for column in table.columns if column.foreign_keys and not column.nullable]
            moved = {column: theirs._mapping[column] for column in parents}
            assert is_refused(ours, update(table).values(moved)), table.name


def is_refused(connection: Connection, statement: Executable) -> bool:
    """By row-level security, and not for another reason."""
    with undone(connection):
        try:
            connection.execute(statement)
        except DBAPIError as error:
            return "row-level security" in str(error)
    return False


def test_who_is_of_no_workspace_sees_nothing(filled: Engine) -> None:
    for scope in (WorkspaceScope.of_workspace(ROLE, uuid4()), WorkspaceScope.of_agent(ROLE, uuid4())):
        with filled.connect() as connection:
            scope.enter(connection)
            assert {table.name: count(connection, table) for table in KEPT_APART if count(connection, table)} == {}


# Transactions


def all_agents(tx: Transaction) -> set[UUID]:
    return set(tx.connection.scalars(select(AGENTS.c.id)))


async def test_a_transaction_is_of_a_workspace_of_an_agents_or_of_the_installation(
    record: SystemOfRecord, filled: Engine
) -> None:
    everybodys = await record.read(all_agents)
    assert len(everybodys) == ROWS
    for agent_id in everybodys:
        assert await record.of_agent(agent_id).read(all_agents) == {agent_id}
        assert await record.of_agent(agent_id).write(all_agents) == {agent_id}
    seen = [await record.of_workspace(workspace).read(all_agents) for workspace in workspaces(filled)]
    assert sorted(seen, key=str) == sorted(({agent} for agent in everybodys), key=str)
    assert await record.read(all_agents) == everybodys, "a connection that was a workspace's is so no more"


async def test_what_stood_before_is_seen_within_the_same_bounds(record: SystemOfRecord, filled: Engine) -> None:
    def before(tx: Transaction) -> int:
        with tx.before() as connection:
            return count(connection, AGENTS)

    assert await record.of_workspace(workspaces(filled)[0]).write(before) == 1
    assert await record.write(before) == ROWS


async def test_a_row_for_another_workspace_is_refused_as_one_whose_parent_is_gone(
    record: SystemOfRecord, filled: Engine
) -> None:
    ours, theirs, _ = workspaces(filled)
    with pytest.raises(NotFound):
        await record.of_workspace(ours).write(lambda tx: AgentRecords(tx).create(theirs, AgentConfig(name="Ada")))


async def test_a_scope_costs_no_way_to_the_server_and_back(record: SystemOfRecord, filled: Engine) -> None:
    agent_id = next(iter(await record.read(all_agents)))
    with ways_to_the_server(filled) as unbound:
        await record.read(all_agents)
    with ways_to_the_server(filled) as bound:
        await record.of_agent(agent_id).read(all_agents)
    assert bound() == unbound() == 3, "BEGIN, the statement, ROLLBACK"


@contextmanager
def ways_to_the_server(engine: Engine) -> Iterator[Callable[[], int]]:
    """How often a transaction waited for the server to be ready, after its connection was found alive."""
    with tempfile.TemporaryFile() as trace:
        traced: list[Any] = []

        def begin(raw: Any, *_: Any) -> None:
            traced.append(raw.pgconn)
            raw.pgconn.trace(trace.fileno())

        event.listen(engine, "checkout", begin)
        try:
            yield lambda: said.count(b"ReadyForQuery")
        finally:
            event.remove(engine, "checkout", begin)
            for connection in traced:
                connection.untrace()
            trace.seek(0)
            said = trace.read()


# An outage


async def test_a_lost_server_is_said_as_ever(server: PostgresServer) -> None:
    engine = open_engine(server.migrated_database())
    settle_role(engine, ROLE)
    record = record_on(engine)
    assert await record.of_workspace(uuid4()).read(all_agents) == set()
    with server.failing("immediate"), pytest.raises(DatabaseAway):
        await record.of_workspace(uuid4()).read(all_agents)
    assert await record.of_workspace(uuid4()).read(all_agents) == set()
    engine.dispose()
