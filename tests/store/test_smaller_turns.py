"""Ids of 16 bytes on SQLite, and what else makes a turn smaller: before and after the migration."""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, Uuid, inspect, select, text

from app.store.engine import is_sqlite, open_migration_engine
from app.store.migrate import alembic_config, migrate
from app.store.tables import all_tables
from tests.store.filled_tables import fill


async def test_smaller_turns_say_the_same(engine: Engine) -> None:
    fill(engine)
    stored, own = rows_of(engine), open_migration_engine(engine.url)
    for _ in range(2):
        with own.begin() as connection:
            command.downgrade(alembic_config(connection), "0099")
            assert kinds_of_ids(connection) == ({("text", 32)} if is_sqlite(engine) else set())
        migrate(engine)
    assert rows_of(engine) == stored
    with own.begin() as connection:
        assert kinds_of_ids(connection) == ({("blob", 16)} if is_sqlite(engine) else set())
        assert compare_metadata(MigrationContext.configure(connection), all_tables()) == []
    own.dispose()


def rows_of(engine: Engine) -> dict[str, list[str]]:
    """As the code reads them, without vectors, which are rounded, and columns that 0099 did not have."""
    with engine.connect() as connection:
        read = {
            table.name: [each for each in table.columns if each.name not in ("meaning", "verified_at", "proof")]
            for table in all_tables().sorted_tables
        }
        return {name: sorted(map(repr, connection.execute(select(*columns)))) for name, columns in read.items()}


def kinds_of_ids(connection: Connection) -> set[tuple[str, int]]:
    """How SQLite keeps ids: types and lengths."""
    if connection.dialect.name != "sqlite":
        return set()
    inspected = inspect(connection)
    names = {table: {each["name"] for each in inspected.get_columns(table)} for table in inspected.get_table_names()}
    ids = [
        each
        for table in all_tables().sorted_tables
        for each in table.columns
        if isinstance(each.type, Uuid) and each.name in names.get(table.name, ())
    ]
    return {
        tuple(row)
        for each in ids
        for row in connection.execute(
            text(f"SELECT typeof({each.name}), length({each.name}) FROM {each.table.name} WHERE {each.name} > ''")
        )
    }
