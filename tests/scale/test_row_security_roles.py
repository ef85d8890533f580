"""The role that keeps workspaces apart is checked at each start, and its policies go and come with their migration."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine, inspect, text
from typer.testing import CliRunner

from app.cli import cli
from app.core.errors import Misconfigured
from app.store.engine import open_engine
from app.store.migrate import migrate
from app.store.row_security import WorkspaceScope, settle_role, unprotected_tables
from app.store.secret_keys import new_key
from app.store.tables import all_tables
from tests.doubles.postgres_record import ROLE
from tests.doubles.postgres_server import PostgresServer
from tests.scale.test_row_security import KEPT_APART, count
from tests.store.older_migrations import go_back


@pytest.fixture
def fresh(server: PostgresServer) -> Iterator[Engine]:
    engine = open_engine(server.migrated_database())
    yield engine
    engine.dispose()


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ((), 'CREATE ROLE "odd role" NOLOGIN; GRANT "odd role" TO "postgres";'),
        (('CREATE ROLE "odd role" SUPERUSER',), "does not bind"),
        (('CREATE ROLE "odd role" BYPASSRLS',), "does not bind"),
        (('CREATE ROLE "odd role"', 'ALTER TABLE agents OWNER TO "odd role"'), "does not bind"),
    ],
    ids=["it is not there", "a superuser", "it bypasses", "it owns a table"],
)
def test_a_role_that_is_no_bound_is_refused(fresh: Engine, made: tuple[str, ...], reason: str) -> None:
    with fresh.begin() as connection:
        for statement in made:
            connection.execute(text(statement))
    try:
        with pytest.raises(Misconfigured, match="DOCENT_DATABASE_ROLE") as refused:
            settle_role(fresh, "odd role")
        assert reason in str(refused.value)
    finally:
        with fresh.begin() as connection:
            connection.execute(text('ALTER TABLE agents OWNER TO "postgres"'))
            connection.execute(text('DROP ROLE IF EXISTS "odd role"'))


def test_a_user_who_does_not_own_the_tables_is_refused(fresh: Engine) -> None:
    with fresh.begin() as connection:
        connection.execute(text("CREATE ROLE guest LOGIN"))
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest"))
    guest = open_engine(fresh.url.set(username="guest").render_as_string())
    with pytest.raises(Misconfigured, match="does not own"):
        settle_role(guest, "")
    guest.dispose()


def test_a_table_that_a_later_version_brings_is_granted_at_its_first_start(fresh: Engine) -> None:
    settle_role(fresh, ROLE)
    with fresh.begin() as connection:
        connection.execute(text(f"REVOKE ALL ON leads FROM {ROLE}"))
    settle_role(fresh, ROLE)
    with fresh.connect() as connection:
        WorkspaceScope.of_workspace(ROLE, uuid4()).enter(connection)
        assert count(connection, all_tables().tables["leads"]) == 0


def test_the_policies_go_and_come_with_their_migration(fresh: Engine) -> None:
    wanted = {table.name for table in KEPT_APART}
    with fresh.begin() as connection:
        go_back(connection, "0042")
        younger = wanted - set(inspect(connection).get_table_names())
        assert set(unprotected_tables(connection)) == wanted - younger
    migrate(fresh)
    with fresh.connect() as connection:
        assert unprotected_tables(connection) == []


def test_doctor_says_who_keeps_workspaces_apart(fresh: Engine, tmp_path: Path) -> None:
    settings = {
        "DOCENT_DATABASE_URL": fresh.url.render_as_string(),
        "DOCENT_SECRET_KEY": new_key(),
        "DOCENT_DATA": str(tmp_path),
        "DOCENT_LOG_LEVEL": "error",
    }

    def doctor(code: int, **more: str) -> Any:
        told = CliRunner().invoke(cli, ["doctor", "--json"], env=settings | more)
        assert told.exit_code == code, told.output
        return json.loads(told.stdout)

    def kept_apart(report: Any) -> Any:
        [check] = [check for check in report["checks"] if check["part"] == "workspaces"]
        return check["state"]

    assert kept_apart(doctor(0)) == "separated by queries"
    assert kept_apart(doctor(0, DOCENT_DATABASE_ROLE=ROLE)).endswith(f"and by Postgres for the role {ROLE}")
    with fresh.begin() as connection:
        connection.execute(text("ALTER TABLE workspaces DISABLE ROW LEVEL SECURITY"))
    [finding] = doctor(1, DOCENT_DATABASE_ROLE=ROLE)["findings"]
    assert finding.startswith("Workspaces: row-level security does not hide rows of workspaces.")
