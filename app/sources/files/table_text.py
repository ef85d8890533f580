"""Rows with column names as Markdown: short rows become one table, long ones a block each. In CSV, the first row names
the columns.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from app.core.delimited_text import delimited
from app.core.source_file import FileRefused
from app.sources.files.plain_text import as_prose, decoded
from crawler.extract.page import Page

# A row of a table should be readable at a glance. If rows are longer, each becomes a list of column names and values.
_TABLE_COLUMNS: Final = 12
_TABLE_ROW_CHARS: Final = 300

Row = Sequence[str]


def written_rows(header: Row, data: Sequence[Row]) -> str:
    """Write rows as Markdown. `data` is not empty; each cell is one line, and rows may have different lengths."""
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


MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200


def read_csv(name: str, body: bytes) -> Page:
    """Convert a CSV file. Raises FileRefused."""
    rows = list(_rows(decoded(body)))
    captions = _captions(rows)
    rows = rows[len(captions) :]
    if len(rows) < 2:
        raise FileRefused("has only one row. Put the column names in the first row, and the data below it.")
    markdown = "\n\n".join([*map(as_prose, captions), written_rows(rows[0], rows[1:])])
    return Page(url=name, canonical_url=name, title="", markdown=markdown)


def _captions(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of text above a table of several columns."""
    if all(sum(map(bool, row)) < 2 for row in rows):
        return []
    above = takewhile(lambda row: sum(map(bool, row)) == 1, rows)
    return [next(cell for cell in row if cell) for row in above]


def _rows(text: str) -> Iterator[list[str]]:
    """Rows that are not empty, each cell on one line."""
    delimiter, text = delimited(text)
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter)):
            if number > MAX_ROWS:
                raise FileRefused(f"has more than {MAX_ROWS} rows. Split it.")
            if len(row) > MAX_COLUMNS:
                raise FileRefused(f"has more than {MAX_COLUMNS} columns. Remove those that visitors do not need.")
            cells = [" ".join(cell.split()) for cell in row]
            if any(cells):
                yield cells
    except csv.Error as error:
        raise FileRefused(f"is not valid CSV ({error}). Check its quotation marks.") from error
