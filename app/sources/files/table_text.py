"""Rows with column names as Markdown: short rows become one table, long ones a block each."""

from collections.abc import Sequence
from typing import Final

# A table row should be readable at a glance; a longer one becomes an entry of its own, with the column name before each
# value.
_TABLE_COLUMNS: Final = 12
_TABLE_ROW_CHARS: Final = 300

Row = Sequence[str]


def written_rows(header: Row, data: Sequence[Row]) -> str:
    """`data` is not empty; each cell is one line, and rows may have different lengths."""
    width = max(len(header), *(len(row) for row in data))
    names = _filled(header, width)
    is_table = width <= _TABLE_COLUMNS and sum(len(cell) for row in data for cell in row) <= _TABLE_ROW_CHARS * len(
        data
    )
    return _table(names, data) if is_table else _entries(names, data)


def _table(names: list[str], data: Sequence[Row]) -> str:
    lines = [names, ["---"] * len(names), *(_filled(row, len(names)) for row in data)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _entries(names: list[str], data: Sequence[Row]) -> str:
    return "\n\n".join(
        "\n".join(f"- {name}: {cell}" if name else f"- {cell}" for name, cell in zip(names, row, strict=False) if cell)
        for row in data
    )


def _filled(row: Row, width: int) -> list[str]:
    return [*row, *[""] * (width - len(row))]
