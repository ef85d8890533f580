"""The parts of an Office file (a ZIP file of XML), checked before a library parses them."""

import io
import re
import zipfile
import zlib
from typing import Final
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

from app.sources.files.office_floods import refuse_floods
from app.sources.files.refusal import FileRefused
from crawler.extract.invisible_text import without_invisible

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
        if sum(member.file_size for member in wanted) > MAX_XML_BYTES:  # reading stops at the size that is declared
            raise FileRefused(f"unpacks to more than {MAX_XML_BYTES // 1024**2} MiB of text. Split it.")
        parts = {member.filename: packed.read(member) for member in wanted}
    if any(_DECLARATION.search(_as_ascii(part)) for part in parts.values()):
        raise FileRefused(
            "declares a document type, which Office programs do not. Save it again with an Office program."
        )
    refuse_floods(parts)
    return parts


def without_media(body: bytes, parts: dict[str, bytes]) -> io.BytesIO:
    """The file for a library to open: its `xml_parts`, with empty pictures and other parts that are no XML."""
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
    return one_line(found.text or "") if found is not None else ""


def one_line(text: str) -> str:
    """On one line; a vertical tab is a line break within a paragraph."""
    return " ".join(without_invisible(text.replace("\v", " ")).split())


def description(alternative: str) -> str:
    """The alternative text of a picture; "" for a file's name, and for what a program guessed: below that it says
    so."""
    told = alternative.strip()
    return one_line(told) if " " in told and "\n" not in told else ""


def _as_ascii(part: bytes) -> bytes:
    """UTF-16 and UTF-32 hide a declaration from a search of bytes; without their NULs they do not."""
    return part.replace(b"\x00", b"")
