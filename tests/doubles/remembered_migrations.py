"""Migrations as every test runs them: an empty SQLite file becomes a copy of the one that was migrated first.

A server migrates an empty database once. A test opens an application in a folder of its own, and would run all
migrations anew. What tests migrations calls `migrate` itself.
"""

from pathlib import Path

from sqlalchemy import Engine

from app.bootstrap import infrastructure
from app.store.migrate import migrate
from tests.doubles.temporary_record import migrated_database


def remember_migrations() -> None:
    """Of all applications and records that this process opens from now on."""
    infrastructure.migrate = _copy_or_migrate  # type: ignore[attr-defined]


def _copy_or_migrate(engine: Engine) -> None:
    path = Path(engine.url.database or "")
    if engine.url.get_backend_name() == "sqlite" and path.stat().st_size == 0:
        path.write_bytes(migrated_database())
    migrate(engine)
