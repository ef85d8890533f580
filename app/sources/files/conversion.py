"""Converts one file of any format to a Page."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.core.source_file import FileFormat, FileRefused, file_format
from app.sources.files.mammoth_docx import read_docx
from app.sources.files.openpyxl_sheets import read_xlsx
from app.sources.files.plain_text import read_html, read_markdown, read_text
from app.sources.files.pptx_slides import read_pptx
from app.sources.files.pypdf_pages import read_pdf
from app.sources.files.table_text import read_csv
from crawler.extract.metadata.page_metadata import detected_language
from crawler.extract.page import Page

MAX_TEXT_CHARS: Final = 2_000_000  # more would take minutes to embed
_MAX_TITLE_CHARS: Final = 300

_READERS: Final[dict[FileFormat, Callable[[str, bytes], Page]]] = {
    FileFormat.MARKDOWN: read_markdown,
    FileFormat.HTML: read_html,
    FileFormat.TEXT: read_text,
    FileFormat.PDF: read_pdf,
    FileFormat.DOCX: read_docx,
    FileFormat.PPTX: read_pptx,
    FileFormat.XLSX: read_xlsx,
    FileFormat.CSV: read_csv,
}


def convert_file(name: str, body: bytes) -> Page:
    """Convert a file. Synchronous CPU work, for a process of its own. The page's URL is the file's name, its title ""
    if the file has none. Raises FileRefused, or InvalidInput for an unknown format."""
    page = _READERS[file_format(name, body)](name, body)
    if not page.markdown.strip():
        raise FileRefused("contains no text. Upload a file that does.")
    if len(page.markdown) > MAX_TEXT_CHARS:
        raise FileRefused(f"contains more than {MAX_TEXT_CHARS} characters of text. Split it.")
    return replace(
        page, title=page.title[:_MAX_TITLE_CHARS], language=page.language or detected_language(page.markdown)
    )
