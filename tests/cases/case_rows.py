"""Loads tables of cases: from tests/data/security, or from the folder named by DOCENT_CASES."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

Row = Mapping[str, Any]

DEFAULT_FOLDER = Path(__file__).parent.parent / "data" / "security"


class UnknownFieldError(Exception):
    """A row has a field that its runner does not understand: the harness is at fault, not the product."""


def cases_folder() -> Path:
    return Path(os.environ.get("DOCENT_CASES") or DEFAULT_FOLDER)


def load_rows(name: str) -> list[Row]:
    """All rows of one .jsonl file; none where the folder that DOCENT_CASES names has no such file."""
    path = cases_folder() / name
    if not path.exists() and path.parent != DEFAULT_FOLDER:
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def parameters(rows: list[Row]) -> list[Any]:
    """Rows for `pytest.mark.parametrize`, named by their ids."""
    return [pytest.param(row, id=row["id"]) for row in rows]


def require_known(row: Row, known: Collection[str]) -> None:
    """Raise UnknownFieldError unless every field of the row is known."""
    if unknown := set(row) - set(known):
        raise UnknownFieldError(f"{row.get('id', row)}: unknown fields {sorted(unknown)}")
