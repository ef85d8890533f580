"""The file of a source of kind "file". Its format follows from its first bytes, then its name, never from the media
type that the sender declares."""

import codecs
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from app.core.errors import InvalidInput

FIELD = "file"


class FileFormat(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    TEXT = "text"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    CSV = "csv"


_OF_EXTENSION = {
    "md": FileFormat.MARKDOWN,
    "markdown": FileFormat.MARKDOWN,
    "mdx": FileFormat.MARKDOWN,
    "html": FileFormat.HTML,
    "htm": FileFormat.HTML,
    "xhtml": FileFormat.HTML,
    "csv": FileFormat.CSV,
    "tsv": FileFormat.CSV,
    "pdf": FileFormat.PDF,
    "docx": FileFormat.DOCX,
    "pptx": FileFormat.PPTX,
    "xlsx": FileFormat.XLSX,
}
ACCEPTED = "Markdown, HTML, plain text, PDF, DOCX, PPTX, XLSX or CSV"
EXTENSIONS = (*_OF_EXTENSION, "txt")
_BINARY = frozenset({FileFormat.PDF, FileFormat.DOCX, FileFormat.PPTX, FileFormat.XLSX})
_PDF_HEAD_BYTES = 1024  # within which the header must begin
_LOOK_BYTES = 64 * 1024
# The first one found in a file counts: a presentation may contain a workbook with all of its parts.
_ZIP_PARTS = (
    (b"word/document", FileFormat.DOCX),
    (b"ppt/presentation", FileFormat.PPTX),
    (b"xl/workbook", FileFormat.XLSX),
)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HTML_STARTS = ("<!doctype html", "<html")
# Files that are often found next to documents, by their first bytes, and what to do about them.
_OTHERS = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file, or one with a password. Save it as DOCX, PPTX, XLSX or PDF, without",
    ),
    (b"{\\rtf", "RTF. Save it as DOCX or PDF"),
    (b"\x89PNG", "a picture. Write down what it says"),
    (b"\xff\xd8\xff", "a picture. Write down what it says"),
    (b"GIF8", "a picture. Write down what it says"),
    (b"\x1f\x8b", "packed. Unpack it and upload what is in it"),
)


def extension_of(name: str) -> str:
    """The extension in lower case: "pdf" for "Manual.PDF"; "" if there is none."""
    stem, dot, extension = name.rpartition(".")
    return extension.lower() if dot and stem else ""


def file_format(name: str, body: bytes) -> FileFormat:
    """The format of a file. Raises InvalidInput for the field "file" if it is empty or of an unknown format."""
    if not body.strip():
        raise InvalidInput(FIELD, f"{_quoted(name)} is empty. Upload a file with text.")
    by_name = _OF_EXTENSION.get(extension_of(name))
    if b"%PDF-" in body[:_PDF_HEAD_BYTES]:
        return FileFormat.PDF
    if body.startswith(b"PK\x03\x04"):
        return _format_of_zip(name, body)
    for start, words in _OTHERS:
        if body.startswith(start):
            raise InvalidInput(FIELD, f"{_quoted(name)} is {words}.")
    if by_name in _BINARY:
        raise InvalidInput(FIELD, f"{_quoted(name)} has the name of a {by_name.upper()} file but is not one. Check it.")
    if b"\x00" in body[:_LOOK_BYTES] and not body.startswith(_UTF16):
        raise InvalidInput(FIELD, f"{_quoted(name)} is not text. Upload {ACCEPTED}.")
    if by_name is not None:
        return by_name
    head = body[:_PDF_HEAD_BYTES].removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").lstrip().lower()
    return FileFormat.HTML if head.startswith(_HTML_STARTS) else FileFormat.TEXT


def _format_of_zip(name: str, body: bytes) -> FileFormat:
    """A ZIP file has the names of its parts in plain text, whatever is compressed."""
    found = [(at, kind) for part, kind in _ZIP_PARTS if (at := body.find(part)) >= 0]
    if found:
        return min(found)[1]
    raise InvalidInput(FIELD, f"{_quoted(name)} is a ZIP file. Unpack it and upload {ACCEPTED}.")


def _quoted(name: str) -> str:
    return f'"{name}"'


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A stored file without its bytes."""

    source_id: UUID
    name: str
    format: FileFormat
    size_bytes: int
    digest: Annotated[str, "SHA-256 of the file, in hexadecimal."]
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent. `name` may include folders; `own_name` does not."""

    name: str
    body: bytes

    @property
    def own_name(self) -> str:
        return self.name.replace("\\", "/").rpartition("/")[2].strip()


@dataclass(frozen=True, slots=True)
class StoredBody:
    """The bytes of a stored file: `body`, or those in the object store under `object_key`. `digest` as in FileFacts."""

    digest: str
    body: bytes
    object_key: str = ""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A stored file with its bytes, which are read as they are sent."""

    facts: FileFacts
    pieces: AsyncIterator[bytes]


class FileRefused(Exception):
    """`str(error)` continues the sentence "The file ...": what is wrong with it, and the fix."""
