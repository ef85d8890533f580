"""The migrations of before the baseline, one step at a time, as they were: only tests still take them."""

import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from app.store.migrate import alembic_config

_ARCHIVE: Final = Path(__file__).with_suffix(".tar.xz")
_BASELINE: Final = "0095"


@contextmanager
def older_migrations(connection: Connection) -> Iterator[Config]:
    """From 0038 to 0095, for Alembic's commands."""
    with TemporaryDirectory() as folder, tarfile.open(_ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
        sys.path.insert(0, folder)
        try:
            config = Config()
            config.set_main_option("script_location", f"{folder}/older_migrations")
            config.attributes["connection"] = connection
            yield config
        finally:
            sys.path.remove(folder)
            for name in [name for name in sys.modules if name.partition(".")[0] == "older_migrations"]:
                del sys.modules[name]


def go_back(connection: Connection, revision: str) -> None:
    """As that step left the database."""
    command.downgrade(alembic_config(connection), _BASELINE)
    with older_migrations(connection) as config:
        command.downgrade(config, revision)


def take_each_step(connection: Connection) -> None:
    """To the baseline, from where it is."""
    with older_migrations(connection) as config:
        command.upgrade(config, _BASELINE)
