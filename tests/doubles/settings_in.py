"""Settings of an installation in a folder, read once for all folders: that is a third of what opening a house takes."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from app.settings import PREFIX, Settings, read_settings


def settings_in(folder: Path, **overrides: Any) -> Settings:
    """As `read_settings(data=folder, **overrides)`."""
    environment = tuple(sorted(item for item in os.environ.items() if item[0].startswith(PREFIX)))
    return _read(environment, **overrides).model_copy(update={"data": folder})


@cache
def _read(_environment: tuple[tuple[str, str], ...], **overrides: Any) -> Settings:
    return read_settings(**overrides)
