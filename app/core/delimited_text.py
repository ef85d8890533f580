"""Reads CSV with commas or the delimiter that Excel uses in the operator's country, and escapes text for cells."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from app.core.text.untrusted_text import without_controls

_DELIMITERS: Final = ",;\t|"
_SNIFF_CHARS: Final = 64 * 1024
_EXCELS_OWN: Final = re.compile(r"\ufeff?\"?sep=(.)\"?[ \t]*\r?(?:\n|\Z)", re.IGNORECASE)


def delimited(text: str, lines: int = 20) -> tuple[str, str]:
    """The delimiter, detected from the first `lines`, and the text without Excel's line "sep=;"."""
    if declared := _EXCELS_OWN.match(text):
        return declared[1], text[declared.end() :]
    return _delimiter(text, lines), text.removeprefix("\ufeff")


def table_of(text: str, lines: int = 20) -> "csv.DictReader[str]":
    """A lazy reader of rows, with the names in the first line as keys. Reading raises csv.Error for invalid CSV."""
    delimiter, body = delimited(text, lines)
    return csv.DictReader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)


def columns_of(table: "csv.DictReader[str]") -> Sequence[str]:
    """The names of the columns, trimmed and in lower case, as rows have them from now on."""
    table.fieldnames = [(name or "").strip().casefold() for name in table.fieldnames or ()]
    return table.fieldnames


def _delimiter(text: str, most: int) -> str:
    """The delimiter that occurs equally often in most lines. `csv.Sniffer` guesses letters if cells are prose."""
    lines = [line for line in text[:_SNIFF_CHARS].splitlines()[:most] if line.strip()]

    def steadiness(delimiter: str) -> tuple[int, int]:
        counts = Counter(line.count(delimiter) for line in lines if delimiter in line)
        return max(((often, count) for count, often in counts.items()), default=(0, 0))

    return max(_DELIMITERS, key=steadiness)


_FORMULA_STARTS: Final = frozenset("=+-@|%＝＋－＠")


def as_cell(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would read it as a formula. Tabs and line breaks become
    blanks, because some programs begin a new cell at them; invisible characters are removed.
    https://owasp.org/www-community/attacks/CSV_Injection"""
    clean = " ".join(without_controls(text).split())
    return f"'{clean}" if clean[:1] in _FORMULA_STARTS else clean
