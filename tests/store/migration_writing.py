"""Writes the migration from what those before it make to the tables as the code has them: `make migration`.

Usage: python -m tests.store.migration_writing saved_filters
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.autogenerate import renderers
from alembic.autogenerate.api import AutogenContext
from alembic.operations.ops import CreateTableOp, MigrateOperation, MigrationScript, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from app.store.engine import open_engine, open_migration_engine
from app.store.migrate import alembic_config, migrate, newest_revision
from app.store.migrations.row_policies import owner_of
from app.store.tables import all_tables

_VERSIONS = Path(__file__).resolve().parents[2] / "app" / "store" / "migrations" / "versions"


def write_migration(name: str, folder: Path = _VERSIONS) -> Path:
    """The file that was written, which says of each new table whose its rows are. What a change of a column means for
    rows that are there is for its author to add. Raises ValueError where nothing has changed."""
    all_tables()
    with TemporaryDirectory() as scratch:
        engine = open_engine(f"sqlite:///{scratch}/migrated.db")
        migrate(engine)
        engine.dispose()
        migrated = open_migration_engine(engine.url)
        try:
            with migrated.begin() as connection:
                return _written(connection, name, folder)
        finally:
            migrated.dispose()


def _written(connection: Connection, name: str, folder: Path) -> Path:
    revision = f"{int(newest_revision()) + 1:04}"
    config = alembic_config(connection)
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(dict.fromkeys(map(str, (_VERSIONS, folder)))))
    command.revision(
        config,
        name.replace("_", " ").capitalize() + ".",
        autogenerate=True,
        rev_id=revision,
        version_path=str(folder),
        process_revision_directives=_say_whose_rows_are,
    )
    return next(folder.glob(f"{revision}_*.py"))


class _KeepApart(MigrateOperation):
    def __init__(self, *names: str) -> None:
        self.names = names


@renderers.dispatch_for(_KeepApart)
def _keep_apart(_context: AutogenContext, op: _KeepApart) -> str:
    return f"keep_apart({', '.join(map(repr, op.names))})"


def _say_whose_rows_are(_context: MigrationContext, _revision: object, scripts: list[MigrationScript]) -> None:
    for script in scripts:
        steps = script.upgrade_ops
        assert isinstance(steps, UpgradeOps)
        if steps.is_empty():
            raise ValueError("Nothing has changed: every table is as the migrations make it.")
        for made in [step for step in steps.ops if isinstance(step, CreateTableOp)]:
            made.info = {}  # which is the code's own
            script.imports.add("from app.store.migrations.row_policies import keep_apart")
            steps.ops.append(_KeepApart(made.table_name, *owner_of(all_tables().tables[made.table_name])))


if __name__ == "__main__":
    write_migration(sys.argv[1])
