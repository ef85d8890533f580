"""CSV: the first row names the columns."""

import csv
import io
from collections.abc import Iterator
from typing import Final

from app.sources.files.plain_text import decoded
from app.sources.files.refusal import FileRefused
from app.sources.files.table_text import written_rows
from crawler.extract.page import Page

MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200
_DELIMITERS: Final = ",;\t|"
_SNIFF_CHARS: Final = 64 * 1024


def read_csv(name: str, body: bytes) -> Page:
    """Raises FileRefused."""
    text = decoded(body)
    rows = list(_rows(text))
    if len(rows) < 2:
        raise FileRefused("has only one row. Put the column names in the first row, and the data below it.")
    header, data = rows[0], rows[1:]
    markdown = written_rows(header, data)
    return Page(url=name, canonical_url=name, title="", markdown=markdown)


def _rows(text: str) -> Iterator[list[str]]:
    """Rows that are not empty, each cell on one line."""
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=_delimiter(text))):
            if number > MAX_ROWS:
                raise FileRefused(f"has more than {MAX_ROWS} rows. Split it.")
            if len(row) > MAX_COLUMNS:
                raise FileRefused(f"has more than {MAX_COLUMNS} columns. Remove those that visitors do not need.")
            cells = [" ".join(cell.split()) for cell in row]
            if any(cells):
                yield cells
    except csv.Error as error:
        raise FileRefused(f"is not valid CSV ({error}). Check its quotation marks.") from error


def _delimiter(text: str) -> str:
    """The delimiter that occurs equally often in each of the first lines; a sniffer guesses letters if cells
    are prose.
    """
    lines = [line for line in text[:_SNIFF_CHARS].splitlines()[:20] if line.strip()]
    if not lines:
        return ","
    steady = [d for d in _DELIMITERS if lines[0].count(d) and len({line.count(d) for line in lines}) == 1]
    return max(steady or _DELIMITERS, key=lines[0].count)
