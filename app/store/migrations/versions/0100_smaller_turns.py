"""Smaller turns: ids of 16 bytes on SQLite, hashes of 32 characters, vectors of a byte for each coordinate, and no keys
and indexes that no query needs."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = "0099"

_HALF, _SINGLE = np.dtype("<f2"), np.dtype("<f4")
_AT_ONCE = 500
_ID_NAMES = ("id", "revision")
_SIGNED = {"sqlite_where": sa.text("user_id IS NOT NULL"), "postgresql_where": sa.text("user_id IS NOT NULL")}


def upgrade() -> None:
    with op.batch_alter_table("messages") as messages:
        messages.drop_constraint("pk_messages", type_="primary")
        messages.drop_constraint("uq_messages_turn_id_role", type_="unique")
        messages.create_primary_key("pk_messages", ["turn_id", "role"])
    with op.batch_alter_table("usage") as usage:
        usage.drop_constraint("pk_usage", type_="primary")
        usage.drop_constraint("uq_usage_turn_id", type_="unique")
        usage.drop_column("id")
        usage.create_primary_key("pk_usage", ["turn_id"])
    op.drop_index("ix_visitors_agent_id_user_id", "visitors")
    op.create_index("ix_visitors_agent_id_user_id", "visitors", ["agent_id", "user_id"], unique=True, **_SIGNED)
    op.execute("UPDATE topic_questions SET question_key = substr(question_key, 1, 32)")
    _convert_meanings(_in_bytes)
    _convert_ids("CHAR(32)", "BLOB", lambda text: bytes.fromhex(text))


def downgrade() -> None:
    _convert_ids("BLOB", "CHAR(32)", lambda stored: stored.hex())
    _convert_meanings(_in_halves)
    op.drop_index("ix_visitors_agent_id_user_id", "visitors")
    op.create_index("ix_visitors_agent_id_user_id", "visitors", ["agent_id", "user_id"], unique=True)
    op.add_column("usage", sa.Column("id", sa.Uuid(), nullable=True))
    op.execute("UPDATE usage SET id = turn_id")
    with op.batch_alter_table("usage") as usage:
        usage.drop_constraint("pk_usage", type_="primary")
        usage.alter_column("id", nullable=False)
        usage.create_primary_key("pk_usage", ["id"])
        usage.create_unique_constraint("uq_usage_turn_id", ["turn_id"])
    with op.batch_alter_table("messages") as messages:
        messages.drop_constraint("pk_messages", type_="primary")
        messages.create_primary_key("pk_messages", ["id"])
        messages.create_unique_constraint("uq_messages_turn_id_role", ["turn_id", "role"])


def _in_bytes(stored: bytes) -> bytes:
    vector = np.frombuffer(stored, _HALF).astype(_SINGLE)
    largest = np.abs(vector).max()
    return bytes(largest.tobytes() + np.rint(vector / (largest or 1) * 127).astype(np.int8).tobytes())


def _in_halves(stored: bytes) -> bytes:
    [largest] = np.frombuffer(stored, _SINGLE, 1)
    vector = np.frombuffer(stored, np.int8, offset=_SINGLE.itemsize) / np.float32(127) * largest
    return bytes(vector.astype(_HALF).tobytes())


def _convert_meanings(converted: Callable[[bytes], bytes]) -> None:
    connection = op.get_bind()
    for name in ("gaps", "topics"):
        meant = sa.table(name, sa.column("id", sa.Uuid()), sa.column("meaning", sa.LargeBinary()))
        put = sa.update(meant).where(meant.c.id == sa.bindparam("row")).values(meaning=sa.bindparam("vector"))
        ids = connection.scalars(sa.select(meant.c.id).where(meant.c.meaning.is_not(None))).all()
        for begin in range(0, len(ids), _AT_ONCE):
            rows = connection.execute(sa.select(meant).where(meant.c.id.in_(ids[begin : begin + _AT_ONCE]))).all()
            connection.execute(put, [{"row": row.id, "vector": converted(row.meaning)} for row in rows])


def _convert_ids(before: str, after: str, converted: Callable[[Any], Any]) -> None:
    """SQLite only: Postgres has a type for ids. A table with rows is copied in their order, which leaves no gaps in its
    pages; of others, most of all in a new database, only the declaration changes, a fifth of the time."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    driver: Any = connection.connection.driver_connection
    driver.create_function("converted_id", 1, lambda value: None if value is None else converted(value))
    execute = connection.exec_driver_sql
    tables = execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
    declared: dict[str, str] = {}
    copied: dict[str, set[str]] = {}
    for table, written in tables:
        columns = execute(f"SELECT name, type FROM pragma_table_info('{table}')").all()
        ids = {name for name, kind in columns if kind == before and name.endswith(_ID_NAMES)} - {"credential_id"}
        for name in ids:
            written = re.sub(rf'\b{name}("?) {re.escape(before)}', rf"{name}\1 {after}", written)
        declared[table] = written
        if ids and execute(f'SELECT 1 FROM "{table}" LIMIT 1').first():
            copied[table] = ids
    for table, ids in copied.items():
        indexes = execute(f"SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = '{table}' AND sql > ''")
        again = indexes.scalars().all()
        columns = execute(f"SELECT name FROM pragma_table_info('{table}')").scalars()
        chosen = ", ".join(f'converted_id("{name}")' if name in ids else f'"{name}"' for name in columns)
        execute(f'CREATE TABLE "converted" ({declared.pop(table).partition("(")[2]}')
        execute(f'INSERT INTO "converted" SELECT {chosen} FROM "{table}"')
        execute(f'DROP TABLE "{table}"')
        execute(f'ALTER TABLE "converted" RENAME TO "{table}"')
        for index in again:
            execute(index)
    version = execute("PRAGMA schema_version").scalar_one()
    execute("PRAGMA writable_schema = ON")
    for table, written in declared.items():
        execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (written, table))
    execute(f"PRAGMA schema_version = {version + 1}")
    execute("PRAGMA writable_schema = RESET")
