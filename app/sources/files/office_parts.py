"""The parts of an Office file (a ZIP file of XML), checked before a library parses them: a few bytes could keep one
busy for minutes. Also the texts of its charts: titles, and the values that they draw, which the file contains too."""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any, Final
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError, ParserCreate

from openpyxl.utils.cell import range_boundaries

from app.core.source_file import FileRefused
from app.sources.files.table_text import written_rows
from crawler.extract.invisible_text import visible_line

MAX_PARAGRAPHS: Final = 40_000  # a page of Word has 10 to 40
MAX_ELEMENTS: Final = 600_000  # of a document's or a presentation's text
MAX_RANGE_CELLS: Final = 200_000  # of merged cells and links in a workbook: openpyxl makes a cell for each of them
_TEXT: Final = ("word/", "ppt/")
_RANGES: Final = (b"mergeCell", b"hyperlink")
_LAST_COLUMN: Final = 16_384
_LAST_ROW: Final = 1_048_576


def refuse_floods(parts: Mapping[str, bytes]) -> None:
    """Refuse parts with so many elements that a library would take long. Raises FileRefused, and expat's errors."""
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


MAX_PARTS: Final = 5000
MAX_XML_BYTES: Final = 24 * 1024 * 1024  # of all parts together, unpacked; a page of Word takes 10 to 20 KB
_XML: Final = (".xml", ".rels")
_DECLARATION: Final = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TITLE_PART: Final = "docProps/core.xml"
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"

# The errors that zipfile, expat and the libraries raise for a file that is not what it claims to be.
BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    EOFError,
    OSError,
    ExpatError,
    ElementTree.ParseError,
    SyntaxError,  # the base of lxml's syntax errors
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    RecursionError,
)


def xml_parts(body: bytes) -> dict[str, bytes]:
    """The XML of the file by part. Raises FileRefused, and the errors in BROKEN."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        members = packed.infolist()
        if len(members) > MAX_PARTS:
            raise FileRefused(f"has more than {MAX_PARTS} parts. Save it again with an Office program.")
        wanted = [member for member in members if member.filename.lower().endswith(_XML)]
        if sum(member.file_size for member in wanted) > MAX_XML_BYTES:  # zipfile reads no more than is declared
            raise FileRefused(f"unpacks to more than {MAX_XML_BYTES // 1024**2} MiB of text. Split it.")
        parts = {member.filename: packed.read(member) for member in wanted}
    if any(_DECLARATION.search(_as_ascii(part)) for part in parts.values()):
        raise FileRefused(
            "declares a document type, which Office programs do not. Save it again with an Office program."
        )
    refuse_floods(parts)
    return parts


def without_media(body: bytes, parts: dict[str, bytes]) -> io.BytesIO:
    """The file for a library to open: its XML as in `parts`, with pictures and other parts empty."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        names = packed.namelist()
    return io.BytesIO(zipped({name: parts.get(name, b"") for name in names if not name.endswith("/")}))


def zipped(parts: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return packed.getvalue()


def own_title(parts: dict[str, bytes]) -> str:
    """The title in the file's properties, or ""."""
    part = parts.get(_TITLE_PART, b"")
    if not part:
        return ""
    found = ElementTree.fromstring(part).find(_TITLE)  # noqa: S314 - no document type, so no entities
    return visible_line(found.text or "") if found is not None else ""


def description(alternative: str) -> str:
    """The alternative text of a picture; "" for a file's name, and for a program's guess, which says so below."""
    text = alternative.strip()
    return visible_line(text) if " " in text and "\n" not in text else ""


def _as_ascii(part: bytes) -> bytes:
    """The bytes without NULs, so that a search finds a declaration in UTF-16 and UTF-32 too."""
    return part.replace(b"\x00", b"")


_MOST_POINTS: Final = 50  # a chart with more shows a curve, not figures


def chart_texts(chart: Any) -> list[str]:
    """The titles of a chart, and its values as a Markdown table. `chart` is a <c:chartSpace> as in ElementTree."""
    titles = [_text(title) for title in chart.iterfind(".//{*}title")]
    series = list(chart.iterfind(".//{*}ser"))
    columns = [_points(each, "val", "yVal") for each in series]
    texts = [" · ".join(title for title in titles if title)]
    if columns and 0 < max(map(len, columns)) <= _MOST_POINTS:
        names = [" ".join(_points(each, "tx")) for each in series]
        rows = zip_longest(_points(series[0], "cat", "xVal"), *columns, fillvalue="")
        texts.append(written_rows(["", *names], [list(row) for row in rows]))
    return [text for text in texts if text]


def _text(title: Any) -> str:
    texts = title.iterfind("./{*}tx//{*}t") if title.find(".//{*}t") is not None else title.iterfind("./{*}tx//{*}v")
    return visible_line("".join(each.text or "" for each in texts))


def _points(series: Any, *names: str) -> list[str]:
    """The values, in order, of the first of the named parts that exists; missing values are ""."""
    part = next((one for name in names if (one := series.find(f"./{{*}}{name}")) is not None), None)
    found: dict[int, str] = {}
    for point in part.iterfind(".//{*}pt") if part is not None else ():
        found[int(point.get("idx", "0"))] = visible_line(point.findtext("./{*}v") or "")
    last = min(max(found, default=-1), _MOST_POINTS)
    return [_shown(found.get(place, "")) for place in range(last + 1)]


def _shown(value: str) -> str:
    """A number as people write it: files contain 4.2999999999999998 for 4.3."""
    try:
        return f"{float(value):.10g}" if "." in value else value
    except ValueError:
        return value
