"""PDF by pypdf: the text of each page, under the headings of the outline or the page's number. Lines are as a person
would copy them: without running heads, table of contents or broken words."""

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError, WrongPasswordError

from app.core.source_file import FileRefused
from app.sources.files.plain_text import as_prose
from crawler.extract.invisible_text import visible_line, without_invisible
from crawler.extract.page import Heading, Page

MAX_PAGES: Final = 1000
MAX_OUTLINE: Final = 5000
_MAX_LEVEL: Final = 4
_NO_TITLES = ("untitled", "microsoft word", "powerpoint presentation", "document", "title")
_LOCKED = "is protected by a password. Save it without a password."
_BROKEN = "is a damaged PDF. Save or print it to PDF again."

Outline = Mapping[int, Sequence[tuple[int, str]]]  # page number from 0 -> level and title
_EDGE_LINES = 2  # at the top and bottom of a page
_FEW_PAGES = 4
_SAME_LINE = 1.0  # points between the base lines of texts on the same line
_LEADER = re.compile(r"(?<![\s.])(?:\s*+\.){5,}+\s*+[\divxlc]*+$")  # "Installing . . . . . . . 12"
_DIGITS = re.compile(r"\d+")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010]\n(?=[a-z\u00df-\u00ff])")
# After a slash, only before what reads like the rest of an address: "/docs/" may be all of it.
_BROKEN_URL = re.compile(r"(https?://\S{1,2000}(?:[-_=&?%#]|/(?=\n[\w-]{0,80}[/.?=&%#_-]\w)))\n(?=[\w%])")
_RUNNING_ON = re.compile(r"(?<=[^\n.!?:;|])\n(?=[a-z\u00df-\u00ff(])")


def read_pdf(name: str, body: bytes) -> Page:
    """Raises FileRefused. Headings carry the fragment with which PDF viewers open a page: "page=3"."""
    try:
        reader = PdfReader(io.BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FileRefused(_LOCKED)
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise FileRefused(f"has {count} pages, and the limit is {MAX_PAGES}. Split it.")
        pages = [without_invisible(_text_in_rows(page)) for page in reader.pages]
        title = _title(reader)
    except (FileNotDecryptedError, WrongPasswordError, DependencyError) as error:
        raise FileRefused(_LOCKED) from error
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, OSError) as error:
        raise FileRefused(_BROKEN) from error
    if not any(page.strip() for page in pages):
        raise FileRefused("contains only images of text. Run text recognition (OCR) on it first.")
    blocks: list[str] = []
    headings: list[Heading] = []
    outline = _outline(reader)
    for number, page in enumerate(without_furniture(pages)):
        for heading, text in _sections(page, outline, number):
            if heading is not None:
                headings.append(heading)
                blocks.append(f"{'#' * heading.level} {heading.text}")
            blocks.append(written_as_prose(text))
    markdown = "\n\n".join(block for block in blocks if block.strip())
    return Page(url=name, canonical_url=name, title=title, markdown=markdown, headings=tuple(headings))


def _text_in_rows(page: PageObject) -> str:
    """The page's text, with a table's row on one line: programs place single cells, and pypdf ends lines after them."""
    pieces: list[tuple[str, tuple[float, float] | None]] = []

    def note(text: str, matrix: Sequence[float], text_matrix: Sequence[float], _font: Any, _size: float) -> None:
        if text.strip() or not pieces:
            pieces.append((text, _place(matrix, text_matrix)))
        else:
            pieces[-1] = (pieces[-1][0] + text, pieces[-1][1])

    whole = page.extract_text(visitor_text=note)
    in_rows = "".join(
        f"{text.rstrip()} " if text.endswith("\n") and _is_beside(place, behind) else text
        for (text, place), (_, behind) in pairwise([*pieces, ("", None)])
    )
    return in_rows if in_rows.split() == whole.split() else whole


def _place(matrix: Sequence[float], text_matrix: Sequence[float]) -> tuple[float, float] | None:
    """The position at which the text begins; None for text that is rotated."""
    if any((matrix[1], matrix[2], text_matrix[1], text_matrix[2])):
        return None
    return text_matrix[4] * matrix[0] + matrix[4], text_matrix[5] * matrix[3] + matrix[5]


def _is_beside(place: tuple[float, float] | None, behind: tuple[float, float] | None) -> bool:
    return place is not None and behind is not None and behind[0] > place[0] and abs(behind[1] - place[1]) < _SAME_LINE


def _sections(text: str, outline: Outline, number: int) -> Iterator[tuple[Heading | None, str]]:
    """A page's text, split at lines that are entries of the outline; an entry without a line is put at the top."""
    anchor = f"page={number + 1}"
    if not outline:
        yield (Heading(2, f"Page {number + 1}", anchor), text) if text.strip() else (None, "")
        return
    found: list[tuple[int, Heading]] = []
    lines = text.splitlines()
    start = 0
    for level, title in outline.get(number, ()):
        at = next((n for n in range(start, len(lines)) if _folded(lines[n]) == _folded(title)), None)
        if at is not None:
            lines[at], start = "", at
        found.append((start, Heading(level, title, anchor)))
    borders = [*(at for at, _ in found), len(lines)]
    yield None, "\n".join(lines[: borders[0]])
    for (at, heading), end in zip(found, borders[1:], strict=True):
        yield heading, "\n".join(lines[at:end])


def _outline(reader: PdfReader) -> Outline:
    """The entries of the outline; {} if there is none, or it cannot be read: the text matters more."""
    try:
        entries = list(_entries(reader, reader.outline, 2))
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return {}
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for page, level, title in entries[:MAX_OUTLINE]:
        found[page].append((level, title))
    return dict(found)


def _entries(reader: PdfReader, outline: Sequence[Any], level: int) -> Iterator[tuple[int, int, str]]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _entries(reader, entry, min(level + 1, _MAX_LEVEL))
            continue
        page, title = reader.get_destination_page_number(entry), visible_line(entry.title or "")
        if page is not None and page >= 0 and title:
            yield page, level, title


def _title(reader: PdfReader) -> str:
    """The title in the file's properties, unless a program generated it."""
    title = visible_line(str((reader.metadata and reader.metadata.title) or ""))
    return "" if title.lower().startswith(_NO_TITLES) else title


def _folded(line: str) -> str:
    return "".join(sign for sign in line.casefold() if sign.isalnum())


def without_furniture(pages: Sequence[str]) -> list[str]:
    """The pages without lines with which most of them begin or end, including page numbers."""
    lines = [
        [line.strip() for line in page.splitlines() if line.strip() and not _LEADER.search(line)] for page in pages
    ]
    if len(pages) < _FEW_PAGES:
        return ["\n".join(page) for page in lines]
    seen = Counter(
        key for page in lines for key in {_key(line) for line in [*page[:_EDGE_LINES], *page[-_EDGE_LINES:]]}
    )
    furniture = {key for key, count in seen.items() if count > len(pages) / 2}
    return ["\n".join(_trimmed(page, furniture)) for page in lines]


def written_as_prose(text: str) -> str:
    """Prose without the line breaks of the page: joins addresses and hyphenated words that a line's end broke, and
    lines of the same sentence."""
    whole = _HYPHENATED.sub("", _BROKEN_URL.sub(r"\1", text.strip("\n")))
    return as_prose(_RUNNING_ON.sub(" ", whole))


def _key(line: str) -> str:
    return _DIGITS.sub("#", line)


def _trimmed(page: Sequence[str], furniture: set[str]) -> Sequence[str]:
    start, end = 0, len(page)
    while start < min(_EDGE_LINES, end) and _key(page[start]) in furniture:
        start += 1
    while end > max(len(page) - _EDGE_LINES, start) and _key(page[end - 1]) in furniture:
        end -= 1
    return page[start:end]
