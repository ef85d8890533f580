"""What the databases raise, in our words."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import InternalError, OperationalError

from app.agents.agent import Agent
from app.agents.records import AgentRecords
from app.core.errors import Overloaded, Unavailable
from app.store.engine import is_sqlite, open_engine, shown_url, translated_errors
from app.store.system_of_record import SystemOfRecord
from tests.every_row import every_row


class FromPostgres(Exception):
    def __init__(self, sqlstate: str) -> None:
        super().__init__(f"said {sqlstate}")
        self.sqlstate = sqlstate


@every_row(
    ("sqlstate", "ours"),
    [
        pytest.param("25006", Unavailable, id="the server became a standby"),
        pytest.param("57P01", Unavailable, id="the server shuts down"),
        pytest.param("57P02", Unavailable, id="the server crashed"),
        pytest.param("57P03", Unavailable, id="the server starts"),
        pytest.param("57P05", Unavailable, id="the session was idle too long"),
        pytest.param("08006", Unavailable, id="the connection broke"),
        pytest.param("08P01", Unavailable, id="the connection is out of step"),
        pytest.param("53100", Unavailable, id="the disk is full"),
        pytest.param("57014", Overloaded, id="the statement took too long"),
        pytest.param("40P01", Overloaded, id="a deadlock"),
    ],
)
@every_row("kind", [InternalError, OperationalError])
def test_a_server_that_is_away_or_busy_is_said_so(
    sqlstate: str, ours: type[Exception], kind: type[InternalError | OperationalError]
) -> None:
    with pytest.raises(ours), translated_errors():
        raise kind("INSERT", {}, FromPostgres(sqlstate))


def test_a_host_that_is_gone_is_noticed_as_the_url_says_or_within_half_a_minute() -> None:
    engine = open_engine("postgresql://ann:secret@db.example/docent?keepalives_idle=3&sslmode=require")
    assert engine.url.query == {
        "connect_timeout": "10",
        "tcp_user_timeout": "20000",
        "keepalives_idle": "3",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "sslmode": "require",
    }
    assert shown_url(engine) == "postgresql+psycopg://ann:***@db.example/docent?sslmode=require"


def test_an_error_that_is_a_bug_stays_as_it_is() -> None:
    with pytest.raises(InternalError), translated_errors():
        raise InternalError("SELECT", {}, FromPostgres("XX000"))


async def bump(record: SystemOfRecord, agent: Agent) -> int:
    return await record.write(lambda tx: AgentRecords(tx).bump_generation(agent.id))


async def test_after_a_failover_no_connection_to_the_standby_is_used_again(
    record: SystemOfRecord, engine: Engine, agent: Agent
) -> None:
    if is_sqlite(engine):
        pytest.skip("SQLite has no standby")
    for _ in range(3):  # connections of a server that takes no writes any more
        with engine.connect() as connection:
            connection.execute(text("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"))
            connection.commit()
    with pytest.raises(Unavailable, match="read-only"):
        await bump(record, agent)
    assert await bump(record, agent) == 1


async def test_a_session_that_the_server_ended_is_said_to_be_away(
    record: SystemOfRecord, engine: Engine, agent: Agent
) -> None:
    if is_sqlite(engine):
        pytest.skip("SQLite has no server")

    async def ended_in_the_middle() -> None:
        with record.writing() as tx:
            AgentRecords(tx).bump_generation(agent.id)
            with engine.connect() as other:
                other.execute(
                    text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'")
                )
            AgentRecords(tx).bump_generation(agent.id)

    with pytest.raises(Unavailable):
        await ended_in_the_middle()
    assert await bump(record, agent) == 1
