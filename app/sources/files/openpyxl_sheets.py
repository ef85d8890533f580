"""XLSX by openpyxl: each visible sheet under its name, its rows as tables, values as they are displayed."""

import re
import warnings
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from openpyxl import load_workbook

from app.core.source_file import FileRefused
from app.sources.files.office_parts import BROKEN, chart_texts, own_title, without_media, xml_parts
from app.sources.files.table_text import written_rows
from crawler.extract.invisible_text import visible_line
from crawler.extract.page import Heading, Page

MAX_ROWS: Final = 50_000  # of all sheets
MAX_COLUMNS: Final = 200
_LEVEL: Final = 2
_QUOTED: Final = re.compile(r"\"([^\"]{0,20})\"|\[\$([^\]-]{0,20})[^\]]{0,20}\]")
_DECIMALS: Final = re.compile(r"0\.(0{1,12})")
_EXPONENT: Final = re.compile(r"0E[+-]0", re.IGNORECASE)
_ZEROS: Final = re.compile(r"(?:\\?[(). /-])*0{1,20}(?:(?:\\?[() /-])+0{1,20}){0,9}(?<=0)(?<!^0)")  # 00000 or 000-0000
_CURRENCIES: Final = "$€£¥"

Rows = Sequence[Sequence[str]]


def read_xlsx(name: str, body: bytes) -> Page:
    """Raises FileRefused. Hidden sheets, rows and columns are left out; formulas become their results."""
    try:
        parts = xml_parts(body)
        title = own_title(parts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about extensions that it does not know
            workbook = load_workbook(without_media(body, parts), data_only=True, keep_links=False)
        blocks: list[str] = []
        headings: list[Heading] = []
        left = MAX_ROWS
        for sheet in workbook.worksheets:
            rows = list(_rows(sheet, left)) if sheet.sheet_state == "visible" else []
            left -= len(rows)
            if texts := [*filter(None, [_written(rows)]), *_charts(sheet)]:
                headings.append(Heading(_LEVEL, visible_line(sheet.title)))
                blocks += [f"## {headings[-1].text}", *texts]
    except BROKEN as error:
        raise FileRefused("is a damaged XLSX file. Save it again with a spreadsheet program.") from error
    return Page(url=name, canonical_url=name, title=title, markdown="\n\n".join(blocks), headings=tuple(headings))


def _rows(sheet: Any, most: int) -> Iterator[list[str]]:
    """The rows with a value, in order, with [] wherever rows without one separate them."""
    hidden_rows = sorted(number for number, row in sheet.row_dimensions.items() if row.hidden)
    hidden = {
        number
        for column in sheet.column_dimensions.values()
        if column.hidden
        for number in range(column.min, min(column.max, MAX_COLUMNS) + 1)
    }
    values = _values(sheet)
    numbers = sorted(values.keys() - set(hidden_rows))
    if len(numbers) > most:
        raise FileRefused(f"has more than {MAX_ROWS} rows. Split it.")
    before = 0
    for number in numbers:
        row = {column: value for column, value in values[number].items() if column not in hidden}
        if not row:
            continue
        last = max(row)
        if last > MAX_COLUMNS:
            raise FileRefused(f"has more than {MAX_COLUMNS} columns. Remove those that visitors do not need.")
        blank = number - before - 1 - (bisect_left(hidden_rows, number) - bisect_left(hidden_rows, before))
        if before and blank:
            yield []
        yield [row.get(column, "") for column in range(1, last + 1) if column not in hidden]
        before = number


def _values(sheet: Any) -> dict[int, dict[int, str]]:
    """The displayed values, by row and column. Uses the existing cells, for which the library has no public name:
    iterating over all possible cells takes minutes if somebody formatted the last one."""
    values: dict[int, dict[int, str]] = defaultdict(dict)
    for (row, column), cell in sheet._cells.items():
        if shown := _shown(cell):
            values[row][column] = shown
    for merged in sheet.merged_cells.ranges:
        # A merged cell's value counts for each of its rows, and for each of its columns if the row above or below has a
        # value in all of them.
        value = values.get(merged.min_row, {}).get(merged.min_col, "")
        columns = range(merged.min_col, min(merged.max_col, MAX_COLUMNS) + 1)
        around = (values.get(row, {}) for row in (merged.min_row - 1, merged.max_row + 1))
        is_known = len(columns) > 1 and any(all(column in row for column in columns) for row in around)
        for row in range(merged.min_row, min(merged.max_row, MAX_ROWS) + 1) if value else ():
            values[row] |= dict.fromkeys(columns if is_known else columns[:1], value)
    return values


def _charts(sheet: Any) -> Iterator[str]:
    """The charts of a visible sheet, as Markdown. The library has no public name for them, nor for their XML."""
    for chart in sheet._charts if sheet.sheet_state == "visible" else ():
        with suppress(AttributeError, TypeError, ValueError):  # the library cannot write every kind
            yield from chart_texts(chart._write())


def _written(rows: Rows) -> str:
    """Each run of rows between blank ones as a table; its first rows with a single cell as text above it."""
    blocks: list[str] = []
    run: list[Sequence[str]] = []
    for row in [*rows, []]:
        if row:
            run.append(row)
        elif run:
            blocks += _blocks(run)
            run = []
    return "\n\n".join(blocks)


def _blocks(run: Rows) -> Iterator[str]:
    first = min(next(at for at, cell in enumerate(row) if cell) for row in run)
    last = max(max(at for at, cell in enumerate(row) if cell) for row in run)
    rows = [row[first : last + 1] for row in run]
    while rows and sum(map(bool, rows[0])) == 1:  # a caption, or a line of text
        yield next(cell for cell in rows[0] if cell)
        rows = rows[1:]
    if len(rows) > 1:
        yield written_rows(rows[0], rows[1:])
    elif rows:
        yield " | ".join(cell for cell in rows[0] if cell)


def _shown(cell: Any) -> str:
    """A cell's displayed value; struck-out text is marked as in Markdown."""
    shown = _displayed(cell)
    return f"~~{shown}~~" if shown and cell.has_style and cell.font.strike else shown


def _displayed(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat() if isinstance(value, date) else value.isoformat("minutes")
    if isinstance(value, int | float):
        return _number(value, str(cell.number_format))
    return _duration(value) if isinstance(value, timedelta) else visible_line(str(value))


def _duration(value: timedelta) -> str:
    """A duration as the format [h]:mm shows it: "26:30"."""
    minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
    shown = f"{'-' if value < timedelta() else ''}{minutes // 60}:{minutes % 60:02}"
    return f"{shown}:{seconds:02}" if seconds else shown


def _number(value: float, written: str) -> str:
    """A number in its cell's format: leading zeros, decimals, percent, exponent, currency. Without separators for
    thousands, which depend on the language."""
    positive = written.split(";")[0]
    decimals = _DECIMALS.search(positive)
    if _ZEROS.fullmatch(positive) and float(value).is_integer():
        return _filled(f"{abs(value):.0f}", positive.replace("\\", ""), "-" if value < 0 else "")
    if _EXPONENT.search(positive):
        return f"{value:.{len(decimals[1]) if decimals else 0}E}"
    if "%" in positive:
        return f"{value * 100:.{len(decimals[1]) if decimals else 0}f} %"
    if decimals:
        number = f"{value:.{len(decimals[1])}f}"
    else:
        number = f"{value:.0f}" if float(value).is_integer() else f"{value:.10g}"
    quoted = next((found[1] or found[2] or "" for found in _QUOTED.finditer(positive)), "").strip()
    unit = quoted or next((sign for sign in _CURRENCIES if sign in positive), "")
    if not unit:
        return number
    at = positive.find(unit)
    return f"{unit}{number}" if 0 <= at < max(positive.find("0"), positive.find("#")) else f"{number} {unit}"


def _filled(digits: str, zeros: str, sign: str) -> str:
    """Put the digits in the places of `zeros`, further ones in front: 1067 in "00000" is 01067."""
    rest = list(digits.rjust(zeros.count("0"), "0"))
    shown = [rest.pop() if place == "0" else place for place in reversed(zeros)]
    return sign + "".join([*rest, *reversed(shown)])
