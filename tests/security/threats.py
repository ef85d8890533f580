"""The threats of docs/security.md, row by row, with the tests that show what stops them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@dataclass(frozen=True)
class Threat:
    """`tests` are (file, function)."""

    who: str
    wants_to: str
    tests: tuple[tuple[str, str], ...]


def threats() -> list[Threat]:
    rows = [line for line in (ROOT / "docs" / "security.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    return [_threat([cell.strip() for cell in row.strip("|").split("|")]) for row in rows[1:]]


def _threat(cells: list[str]) -> Threat:
    who, wants_to, _, shown_by = cells
    return Threat(who, wants_to, tuple(_TEST.findall(shown_by)))
