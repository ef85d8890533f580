"""Recognises linked PDF, DOCX, PPTX and XLSX files by address, media type and first bytes."""

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
# Generic types that servers send for unknown files; the address then decides.
_GENERIC_TYPES: Final = frozenset(
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
    """The media types that a file at this address may have."""
    return FILE_TYPES | _GENERIC_TYPES if is_file_address(url) else FILE_TYPES


def begins_as_file(body: bytes) -> bool:
    """Whether the body begins like a PDF or, as Office files do, like a ZIP file."""
    return body.startswith(_ZIP) or b"%PDF-" in body[:_PDF_HEAD_BYTES]
