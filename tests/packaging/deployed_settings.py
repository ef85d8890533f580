"""What a deployment's files say, held against the product: variables are settings, commands are commands."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.settings import PREFIX, Settings, read_settings
from app.store.secret_keys import new_key
from tests.docs.checked_commands import check
from tests.docs.shell_commands import commands

ROOT: Final = Path(__file__).parents[2]

SECRETS: Final[Mapping[str, str]] = {
    "DOCENT_DATABASE_URL": "postgresql+psycopg://docent:password@db/docent",
    "DOCENT_SECRET_KEY": new_key(),
    "DOCENT_REDIS_URL": "redis://cache:6379/0",
    "DOCENT_VECTORS_OPTIONS": "region=eu-north-1",
}
"""Those that many machines need and no file holds."""


def read_as_settings(environment: Mapping[str, str]) -> Settings:
    """Of those with our prefix. Raises for one that is no setting, and for a value that a setting refuses."""
    named = {name.removeprefix(PREFIX).lower(): value for name, value in environment.items() if name.startswith(PREFIX)}
    assert named.keys() - Settings.model_fields.keys() == set()
    given: dict[str, Any] = dict(named)
    return read_settings(**given)


def subcommand(written: str | Sequence[str]) -> str:
    """What is called, such as `serve`. Raises where the command or an option does not exist."""
    [parsed] = commands(written if isinstance(written, str) else shlex.join(written))
    check(parsed)
    program, name, *_ = parsed.words
    assert program == "docent"
    return name
