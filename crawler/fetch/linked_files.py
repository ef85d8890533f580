"""Linked files with text to read, PDF, DOCX, PPTX and XLSX, recognised by address, type and first bytes."""

import re
from typing import Final
from urllib.parse import urlsplit

FILE_TYPES: Final = frozenset(
    {
        "application/pdf",
        "application/x-pdf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)
# The types that servers send if they do not know better; the address then has to tell.
_UNTOLD: Final = frozenset(
    {
        "application/octet-stream",
        "binary/octet-stream",
        "application/force-download",
        "application/download",
        "application/zip",
        "application/x-zip-compressed",
    }
)
_ENDING: Final = re.compile(r"\.(?:pdf|docx|pptx|xlsx)$", re.IGNORECASE)
_PDF_HEAD_BYTES: Final = 1024  # other bytes may precede the header
_ZIP: Final = b"PK\x03\x04"


def is_file_address(url: str) -> bool:
    return bool(_ENDING.search(urlsplit(url).path))


def file_types_at(url: str) -> frozenset[str]:
    """The media types with which a file may come from this address."""
    return FILE_TYPES | _UNTOLD if is_file_address(url) else FILE_TYPES


def begins_as_file(body: bytes) -> bool:
    """Whether the first bytes are those of a PDF or of a ZIP file, as Office files are."""
    return body.startswith(_ZIP) or b"%PDF-" in body[:_PDF_HEAD_BYTES]
