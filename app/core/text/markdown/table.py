"""The tables of a Markdown text as rows of cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.text.markdown.blocks import DELIMITER_ROW, FENCE

_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are inline Markdown. All rows have as many cells as the widest line; `header` is () if there is none."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_in(markdown: str) -> tuple[Table, ...]:
    """In the text's order; fenced code contains no tables."""
    lines = [line.strip() for line in markdown.splitlines()]
    return tuple(_table(lines[start:end]) for start, end in _spans(lines))


def _spans(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of each table in `lines`; `end` is exclusive."""
    fence, at = "", 0
    while at < len(lines):
        line = lines[at]
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and mark[1] == line else fence
        elif mark:
            fence = mark[1]
        elif "|" in line and at + 1 < len(lines) and "|" in lines[at + 1] and DELIMITER_ROW.fullmatch(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield at, end
            at = end
            continue
        at += 1


def _table(lines: Sequence[str]) -> Table:
    header, _, *rows = (cells(line) for line in lines)
    width = max(len(row) for row in (header, *rows))
    padded = [row + ("",) * (width - len(row)) for row in (header, *rows)]
    return Table(padded[0] if any(header) else (), tuple(padded[1:]))


def is_row(line: str) -> bool:
    """Whether the line is a row that begins with a pipe, as Docent writes them."""
    return line.lstrip().startswith("|")


def cells(line: str) -> tuple[str, ...]:
    """The cells of a row; `line` has no white space at its ends."""
    inner = line.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _PIPE.split(inner))
