"""DOCX by mammoth: styles become HTML, which our own writer turns into Markdown."""

import io
import re
import zipfile
import zlib
from typing import Final
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

import mammoth
from selectolax.lexbor import LexborHTMLParser

from app.sources.files.refusal import FileRefused
from crawler.extract.invisible_text import without_invisible
from crawler.extract.markdown.heading_anchors import HeadingAnchors
from crawler.extract.markdown.writer import write_markdown
from crawler.extract.page import Page

MAX_PARTS: Final = 5000
MAX_XML_BYTES: Final = 24 * 1024 * 1024  # of all parts together, unpacked; a page of Word takes 10 to 20 KB
_XML = (".xml", ".rels")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = frozenset({"0", "false", "off"})
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
# What zipfile, expat and mammoth raise at a file that is not what it says it is.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    EOFError,
    OSError,
    ExpatError,
    ElementTree.ParseError,
    KeyError,
)
_TITLE_PART = "docProps/core.xml"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def read_docx(name: str, body: bytes) -> Page:
    """Raises FileRefused. Pictures are left out; deleted and hidden text is no text."""
    try:
        parts = _xml_parts(body)
        title = _title(parts.get(_TITLE_PART, b""))
        html = _html(parts)
    except _BROKEN as error:
        raise FileRefused("is a broken DOCX file. Save it anew with a word processor.") from error
    tree = LexborHTMLParser(f"<html><body>{html}</body></html>")
    if tree.body is None:
        return Page(url=name, canonical_url=name, title=title, markdown="")
    rendered = write_markdown(tree.body, HeadingAnchors(tree))
    first = next((heading.text for heading in rendered.headings if heading.level == 1), "")
    markdown = without_invisible(rendered.markdown)
    return Page(url=name, canonical_url=name, title=title or first, markdown=markdown, headings=rendered.headings)


def _html(parts: dict[str, bytes]) -> str:
    without_pictures = mammoth.images.img_element(lambda _: {})
    converted = mammoth.convert_to_html(
        io.BytesIO(_zipped(parts)), convert_image=without_pictures, include_embedded_style_map=False
    )
    return str(converted.value)


def _xml_parts(body: bytes) -> dict[str, bytes]:
    """The XML of the file by part, checked before anything is built from it."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        members = packed.infolist()
        if len(members) > MAX_PARTS:
            raise FileRefused(f"has more than {MAX_PARTS} parts. Save it anew with a word processor.")
        wanted = [member for member in members if member.filename.lower().endswith(_XML)]
        if sum(member.file_size for member in wanted) > MAX_XML_BYTES:  # reading stops at the size that is declared
            raise FileRefused(f"unpacks to more than {MAX_XML_BYTES // 1024**2} MiB of text. Split it.")
        parts = {member.filename: packed.read(member) for member in wanted}
    if any(_DECLARATION.search(_as_ascii(part)) for part in parts.values()):
        raise FileRefused("declares a document type, which no word processor writes. Save it anew with one.")
    for name in parts:
        if name.startswith("word/") and b"vanish" in parts[name]:
            parts[name] = _without_hidden(parts[name])
    return parts


def _as_ascii(part: bytes) -> bytes:
    """UTF-16 and UTF-32 hide a declaration from a search of bytes; without NULs they do not."""
    return part.replace(b"\x00", b"")


def _without_hidden(part: bytes) -> bytes:
    root = ElementTree.fromstring(part)  # noqa: S314 - no document type, so no entities
    for parent in root.iter():
        for run in parent.findall(f"{_W}r"):
            vanish = run.find(f"{_W}rPr/{_W}vanish")
            if vanish is not None and vanish.get(f"{_W}val", "1") not in _OFF:
                parent.remove(run)
    return bytes(ElementTree.tostring(root, "utf-8"))


def _title(part: bytes) -> str:
    if not part:
        return ""
    found = ElementTree.fromstring(part).find(_TITLE)  # noqa: S314 - no document type, so no entities
    return " ".join(without_invisible(found.text or "").split()) if found is not None else ""


def _zipped(parts: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return packed.getvalue()
