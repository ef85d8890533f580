"""CSV: the first row names the columns."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from app.core.delimited_text import delimited
from app.sources.files.plain_text import as_prose, decoded
from app.sources.files.refusal import FileRefused
from app.sources.files.table_text import written_rows
from crawler.extract.page import Page

MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 200


def read_csv(name: str, body: bytes) -> Page:
    """Raises FileRefused."""
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
