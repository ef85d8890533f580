"""Port: converts an uploaded file to a page; in processes that may be killed, because a file can be slow or hostile."""

import logging
import re
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from typing import Final, Protocol, Self
from urllib.parse import unquote, urlsplit
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.source_file import FIELD, extension_of
from app.knowledge.document import PageContent, SectionHeading
from crawler.errors import ExtractionFailed
from crawler.extract.extraction_pool import Answer, ExtractionPool, PageFailure, PageRequest
from crawler.extract.page import Page
from crawler.worker_processes import limit_memory, serve_requests


class FileReader(Protocol):
    async def read(self, name: str, body: bytes, url: str, owner: UUID) -> PageContent:
        """Convert the file to the page of `url`: its text as Markdown, never empty. The title is the file's own, else
        its name. Owners take turns.

        Raises InvalidInput for the field "file", with a reason and a fix for a person: an unknown format, a password,
        no text, too large or too slow to read.
        """
        ...


CHECK_SECONDS: Final = 20.0  # while somebody waits
TIMEOUT_SECONDS: Final = 60.0
_MEMORY_BYTES: Final = 2 * 1024**3  # of a process
_MAX_NAME_CHARS: Final = 200
_SEPARATORS = re.compile(r"[-_+\s]+")


class PooledFileReader:
    """Converts two files at a time, of two owners, in processes. Use as an async context manager."""

    def __init__(self, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._pool = ExtractionPool(2, timeout_seconds, serve_files, per_owner=1, max_idle=1)

    async def read(self, name: str, body: bytes, url: str, owner: UUID) -> PageContent:
        try:
            page = await self._pool.extract(body, name, None, owner=str(owner))
        except ExtractionFailed as error:
            raise InvalidInput(FIELD, _in_words(error.reason)) from error
        return PageContent(
            url=url,
            title=page.title or _words_of(name),
            markdown=page.markdown,
            headings=tuple(SectionHeading(**asdict(heading)) for heading in page.headings),
            description=page.description,
            language=page.language,
            published=page.published,
            modified=page.modified,
        )

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "") -> Page:
        """The crawler's Extractor for a file that a website links to, whose bytes and address determine its format.
        Raises ExtractionFailed, whose reason is a sentence."""
        name = _name_at(url)
        try:
            page = await self._pool.extract(body, name, charset, media_type, owner=urlsplit(url).netloc)
        except ExtractionFailed as error:
            raise ExtractionFailed(_in_words(error.reason)) from error
        return replace(page, url=url, canonical_url=url, title=page.title or _words_of(name))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.aclose()


def _in_words(reason: str) -> str:
    """The worker's messages are whole sentences; the pool's messages about the worker are not."""
    return reason if reason.endswith(".") else f"The file cannot be read: {reason}. Split it, or save it again."


def _name_at(url: str) -> str:
    """The file's name in an address: "user manual.pdf" in ".../user%20manual.pdf?v=2"; the host without one."""
    parts = urlsplit(url)
    return unquote(parts.path.rstrip("/").rpartition("/")[2])[:_MAX_NAME_CHARS] or parts.netloc


def _words_of(name: str) -> str:
    """A file's name in words, such as "user manual" for "user_manual.pdf"."""
    stem = name.rpartition(".")[0] if extension_of(name) else name
    return _SEPARATORS.sub(" ", stem).strip() or name


def serve_files(pipe: Connection) -> None:
    """Entry point of a process that converts files. A request's `url` is the file's name."""
    from app.core.source_file import FileRefused
    from app.sources.files.conversion import convert_file  # heavy, so the pool's own process does not import it

    limit_memory(_MEMORY_BYTES)
    for name in ("pypdf", "trafilatura"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # their warnings do not name the file

    def answer(request: PageRequest) -> Answer:
        try:
            return convert_file(request.url, request.body)
        except FileRefused as refused:
            return PageFailure(f"The file {refused}")
        except InvalidInput as refused:
            return PageFailure(str(refused).removeprefix("file: "))
        except (MemoryError, RecursionError):
            return PageFailure("The file needs too much memory to read. Split it, or save it again.")
        except Exception as error:
            return PageFailure(f"The file cannot be read ({type(error).__name__}). Save it again, or as PDF.")

    serve_requests(pipe, answer)
