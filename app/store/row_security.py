"""Row-level security in Postgres, as a second line of defence below our queries: a transaction of one workspace runs as
a role to which no other workspace's rows are visible. Other transactions run as the tables' owner, to whom no policy
applies."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Engine, Table, select, text
from sqlalchemy.exc import DBAPIError

from app.core.errors import Misconfigured
from app.store.engine import is_sqlite, translated_errors
from app.store.tables import all_tables

SHARED_TABLES: Final = {
    "embedding_cache": "a text's vector by the hash of the text: the same for whoever has that text",
    "processes": "the installation's web processes and workers",
    "signing_keys": "the installation's; what is drawn from one depends on a salt in the table that it is for",
}
"""Those without a policy, and why: every workspace sees their rows."""

_LOCK: Final = 0x446F63526F6C65  # "DocRole"
_IN_TRANSACTION: Final = 2  # libpq's PQTRANS_INTRANS
_SETTING: Final = "DOCENT_DATABASE_ROLE"
_ENTER: Final = "SELECT set_config('docent.workspace', {workspace}, true), set_config('role', {role}, true)"
_WORKSPACE_OF: Final = "(SELECT workspace_id::text FROM agents WHERE id = '{agent}')"
_ROLE = text(
    "SELECT rolsuper OR rolbypassrls AS is_unbound, pg_has_role(current_user, oid, 'MEMBER') AS is_ours, "
    "(SELECT pg_has_role(role.oid, relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('agents')) AS is_owner "
    "FROM pg_roles role WHERE rolname = :role"
)
_WITHOUT_PRIVILEGES = text(
    "SELECT relname FROM pg_class WHERE oid IN (SELECT to_regclass(name) FROM unnest(CAST(:tables AS text[])) name) "
    "AND NOT (has_table_privilege(:role, oid, 'SELECT') AND has_table_privilege(:role, oid, 'INSERT') "
    "AND has_table_privilege(:role, oid, 'UPDATE') AND has_table_privilege(:role, oid, 'DELETE')) ORDER BY 1"
)
_WITHOUT_POLICY = text(
    "SELECT relname FROM pg_class WHERE oid IN (SELECT to_regclass(name) FROM unnest(CAST(:tables AS text[])) name) "
    "AND NOT (relrowsecurity AND EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid)) ORDER BY 1"
)


@dataclass(frozen=True, slots=True)
class WorkspaceScope:
    """Limits a transaction to the rows of one workspace, with `statement`."""

    statement: str

    @classmethod
    def of_workspace(cls, role: str, workspace_id: UUID) -> "WorkspaceScope":
        """The scope of a workspace. `role` is the database role that sees no other workspace's rows."""
        return cls(_ENTER.format(workspace=f"'{workspace_id}'", role=_literal(role)))

    @classmethod
    def of_agent(cls, role: str, agent_id: UUID) -> "WorkspaceScope":
        """The scope of the agent's workspace; no rows at all if there is no such agent."""
        return cls(_ENTER.format(workspace=_WORKSPACE_OF.format(agent=agent_id), role=_literal(role)))

    def enter(self, connection: Connection) -> None:
        """Apply the scope to the transaction that begins now. Raises DBAPIError, as SQLAlchemy does."""
        raw: Any = connection.connection.driver_connection
        dialect = connection.dialect
        vendor_error = dialect.loaded_dbapi.Error
        try:
            self._begin(raw)
        except vendor_error as error:
            is_lost = dialect.is_disconnect(error, raw, None)
            if is_lost:
                connection.invalidate(error)
            raise DBAPIError.instance(
                self.statement, None, error, vendor_error, hide_parameters=True, connection_invalidated=is_lost
            ) from error

    def _begin(self, raw: Any) -> None:
        """Send BEGIN together with `statement`, so that both take one round trip: psycopg alone waits for its BEGIN
        before it sends anything else."""
        begin = ["BEGIN"]
        if raw.isolation_level is not None:
            begin.append(f"ISOLATION LEVEL {raw.isolation_level.name.replace('_', ' ')}")
        if raw.read_only is not None:
            begin.append("READ ONLY" if raw.read_only else "READ WRITE")
        raw.pgconn.exec_(f"{' '.join(begin)}; {self.statement}".encode())
        if raw.info.transaction_status != _IN_TRANSACTION:
            raw.rollback()
            raw.execute(self.statement)  # raises psycopg's error for it


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def settle_role(engine: Engine, role: str) -> None:
    """Check that the database's user and the `role` ("": none) are suitable, and grant the role missing rights on our
    tables. SQLite has no roles. Raises Misconfigured."""
    if is_sqlite(engine):
        return
    with translated_errors(), engine.begin() as connection:
        _refuse_bound_user(connection)
        if role:
            _refuse_useless(connection, role)
            _grant(connection, role)


def unprotected_tables(connection: Connection) -> list[str]:
    """Tables that should have a policy, but do not."""
    wanted = [table.name for table in _kept_apart()]
    return list(connection.scalars(_WITHOUT_POLICY, {"tables": wanted}))


def seen_tables(connection: Connection) -> list[str]:
    """Tables that should have a policy, but of which this transaction sees a row."""
    return [table.name for table in _kept_apart() if connection.execute(select(select(table).exists())).scalar_one()]


def _kept_apart() -> list[Table]:
    return [table for table in all_tables().sorted_tables if table.name not in SHARED_TABLES]


def _refuse_bound_user(connection: Connection) -> None:
    """Raise Misconfigured for a user who does not own the tables, who would see them as empty."""
    if connection.scalar(text("SELECT row_security_active('agents')")):
        raise Misconfigured(
            "DOCENT_DATABASE_URL: its user does not own Docent's tables, so that row-level security hides every row "
            f"from it; connect as their owner, and name the other role in {_SETTING}."
        )


def _refuse_useless(connection: Connection, role: str) -> None:
    found = connection.execute(_ROLE, {"role": role}).one_or_none()
    user = connection.scalar(text("SELECT current_user"))
    if found is None or not found.is_ours:
        raise Misconfigured(
            f"{_SETTING}: {user} cannot act as the role {role}; have an administrator of the database say: "
            + ("" if found else f'CREATE ROLE "{role}" NOLOGIN; ')
            + f'GRANT "{role}" TO "{user}";'
        )
    if found.is_unbound or found.is_owner:
        raise Misconfigured(
            f"{_SETTING}: row-level security does not bind the role {role}, which owns the tables, is a superuser or "
            "has BYPASSRLS; name one to which none of this applies."
        )


def _grant(connection: Connection, role: str) -> None:
    asked = {"role": role, "tables": [table.name for table in all_tables().sorted_tables]}
    if not connection.scalars(_WITHOUT_PRIVILEGES, asked).all():
        return
    # Processes that start together would update the same rows of the catalogue.
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    quoted = connection.dialect.identifier_preparer.quote_identifier
    for name in connection.scalars(_WITHOUT_PRIVILEGES, asked).all():
        connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted(name)} TO {quoted(role)}")
