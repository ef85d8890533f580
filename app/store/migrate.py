"""Migrates a database to the tables that this code expects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from app.core.errors import Unavailable
from app.store.engine import is_sqlite, open_migration_engine, read_side, translated_errors

if TYPE_CHECKING:
    from alembic.config import Config

_SCRIPTS = Path(__file__).parent / "migrations"
_BASELINE: Final = "0095"
_BEFORE_BASELINE: Final = frozenset(f"{number:04}" for number in range(1, int(_BASELINE)))
_POSTGRES_LOCK = 0x446F63656E74  # "Docent"


def migrate(engine: Engine) -> None:
    """Run all missing migrations in one transaction: all or none. Processes that start together wait for each other,
    and the later ones find nothing to do. Alembic is only imported if something may be missing."""
    if _is_current(engine):
        return
    own = open_migration_engine(engine.url)
    try:
        with translated_errors(), own.begin() as connection:
            if not is_sqlite(own):
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})
            _upgrade(connection)
            if is_sqlite(own):
                _check_foreign_keys(connection)
    finally:
        own.dispose()


def newest_revision() -> str:
    return all_migrations()[-1].partition("_")[0]


def all_migrations() -> list[str]:
    """All migrations in order, by names such as "0095_baseline": each begins with its revision."""
    return sorted(path.stem for path in (_SCRIPTS / "versions").glob("[0-9]*_*.py"))


def missing_migrations(engine: Engine) -> list[str]:
    """The migrations that `migrate` would run; changes nothing. Raises Unavailable if the database was made by a newer
    version, or does not respond."""
    with translated_errors(), read_side(engine).connect() as connection:
        revision = _revision(connection)
    known = all_migrations()
    if revision is None:
        return known
    if revision not in _BEFORE_BASELINE.union(name.partition("_")[0] for name in known):
        raise Unavailable(_made_by_another(f"revision {revision}"))
    return [name for name in known if name.partition("_")[0] > revision]


def _revision(connection: Connection) -> str | None:
    """The database's revision; None if there are no tables yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    return revision


def _is_current(engine: Engine) -> bool:
    try:
        with engine.connect() as connection:
            revisions = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    except DBAPIError:  # a new database, or one that does not respond: migrating reports what is wrong
        return False
    return list(revisions) == [newest_revision()]


def alembic_config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.util import CommandError

    config = alembic_config(connection)
    revision = _revision(connection)
    try:
        if revision in _BEFORE_BASELINE:
            from app.store.migrations.before_baseline import bring_to_baseline

            bring_to_baseline(connection, revision)
            command.stamp(config, _BASELINE, purge=True)
        command.upgrade(config, "head")
    except CommandError as error:
        raise Unavailable(_made_by_another(str(error))) from error


def _made_by_another(detail: str) -> str:
    return f"The database was made by another version of Docent ({detail}). Install that version or a newer one."


def _check_foreign_keys(connection: Connection) -> None:
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise Unavailable("A migration left rows without their parents; nothing was changed. Please report this.")
