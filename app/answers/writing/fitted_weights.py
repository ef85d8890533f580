"""The weights that were fitted on judged answers; `weights.toml` says how."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def fitted_weights(*path: str) -> Mapping[str, float]:
    """Those of one table of `weights.toml`."""
    table: dict[str, Any] = tomllib.loads(
        resources.files(__package__).joinpath("weights.toml").read_text(encoding="utf-8")
    )
    for name in path:
        table = table[name]
    return table
