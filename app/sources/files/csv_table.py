"""CSV: the first row names the columns; short rows become one table, long ones a block each."""

import csv
import io
from collections.abc import Iterator
from typing import Final

from app.sources.files.plain_text import decoded
from app.sources.files.refusal import FileRefused
from crawler.extract.page import Page

MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200
_DELIMITERS: Final = ",;\t|"
_SNIFF_CHARS: Final = 64 * 1024
# A table's row should be read in one glance; beyond that a row is an entry of its own, each value beside its name.
_TABLE_COLUMNS: Final = 12
_TABLE_ROW_CHARS: Final = 300


def read_csv(name: str, body: bytes) -> Page:
    """Raises FileRefused."""
    text = decoded(body)
    rows = list(_rows(text))
    if len(rows) < 2:
        raise FileRefused("has no rows below its first. Put the columns' names into the first row, data below.")
    header, data = rows[0], rows[1:]
    width = max(len(row) for row in rows)
    names = [*header, *[""] * (width - len(header))]
    is_table = width <= _TABLE_COLUMNS and sum(map(len, map("".join, data))) <= _TABLE_ROW_CHARS * len(data)
    markdown = _table(names, data) if is_table else _entries(names, data)
    return Page(url=name, canonical_url=name, title="", markdown=markdown)


def _rows(text: str) -> Iterator[list[str]]:
    """Rows with something in them, each cell on one line."""
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=_delimiter(text))):
            if number > MAX_ROWS:
                raise FileRefused(f"has more than {MAX_ROWS} rows. Split it.")
            if len(row) > MAX_COLUMNS:
                raise FileRefused(f"has more than {MAX_COLUMNS} columns. Leave out what nobody asks for.")
            cells = [" ".join(cell.split()) for cell in row]
            if any(cells):
                yield cells
    except csv.Error as error:
        raise FileRefused(f"is no CSV ({error}). Check its quotes.") from error


def _delimiter(text: str) -> str:
    """The one that stands in the first lines equally often; a sniffer guesses letters where cells are prose."""
    lines = [line for line in text[:_SNIFF_CHARS].splitlines()[:20] if line.strip()]
    if not lines:
        return ","
    steady = [d for d in _DELIMITERS if lines[0].count(d) and len({line.count(d) for line in lines}) == 1]
    return max(steady or _DELIMITERS, key=lines[0].count)


def _table(names: list[str], data: list[list[str]]) -> str:
    rule = ["---"] * len(names)
    lines = [names, rule, *(row + [""] * (len(names) - len(row)) for row in data)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _entries(names: list[str], data: list[list[str]]) -> str:
    return "\n\n".join(
        "\n".join(f"- {name}: {cell}" if name else f"- {cell}" for name, cell in zip(names, row, strict=False) if cell)
        for row in data
    )
