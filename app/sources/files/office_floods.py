"""Office files of few bytes that would keep a library busy for minutes, found before it opens them."""

from collections.abc import Callable, Mapping
from typing import Final
from xml.parsers.expat import ParserCreate

from openpyxl.utils.cell import range_boundaries

from app.sources.files.refusal import FileRefused

MAX_PARAGRAPHS: Final = 40_000  # a page of Word has 10 to 40
MAX_ELEMENTS: Final = 600_000  # of a document's or a presentation's text
MAX_RANGE_CELLS: Final = 200_000  # of merged cells and links in a workbook: openpyxl makes a cell for each of them
_TEXT: Final = ("word/", "ppt/")
_RANGES: Final = (b"mergeCell", b"hyperlink")
_LAST_COLUMN: Final = 16_384
_LAST_ROW: Final = 1_048_576


def refuse_floods(parts: Mapping[str, bytes]) -> None:
    """Raises FileRefused, and expat's errors."""
    count = _Count()
    for name, part in parts.items():
        if name.startswith(_TEXT):
            count.read(part, count.text)
        elif name.startswith("xl/") and any(range_ in part.replace(b"\x00", b"") for range_ in _RANGES):
            count.read(part, count.ranges)


class _Count:
    def __init__(self) -> None:
        self._elements = 0
        self._paragraphs = 0
        self._cells = 0

    def read(self, part: bytes, handler: Callable[[str, dict[str, str]], None]) -> None:
        parser = ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = handler
        parser.Parse(part, True)

    def text(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._paragraphs += name.endswith(" p")
        if self._paragraphs > MAX_PARAGRAPHS:
            raise FileRefused(f"has more than {MAX_PARAGRAPHS} paragraphs. Split it.")
        if self._elements > MAX_ELEMENTS:
            raise FileRefused("has too much formatting to read. Split it, or save it as PDF.")

    def ranges(self, name: str, attributes: dict[str, str]) -> None:
        if not name.endswith((" mergeCell", " hyperlink")):
            return
        left, top, right, bottom = range_boundaries(attributes.get("ref", "A1"))
        columns = (right or _LAST_COLUMN) - (left or 1) + 1
        self._cells += max(columns, 1) * max((bottom or _LAST_ROW) - (top or 1) + 1, 1)
        if self._cells > MAX_RANGE_CELLS:
            raise FileRefused(
                f"merges or links more than {MAX_RANGE_CELLS} cells. Merge only the cells that have a text."
            )
