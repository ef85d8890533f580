"""Ports: reading websites, and listing the pages that a source names without reading any. And pages that operators
added: pasted texts, uploaded files, documents."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from app.kit.clock import Clock
from app.knowledge.document import PageContent
from app.sources.files.file_bodies import FileBodies
from app.sources.files.file_reader import FileReader
from app.sources.source import Source, SourceAccess, SourceConfig, SourceKind
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class QueuedPage:
    """A URL to read. `etag` and `last_modified` are those of the last reading, if there was one."""

    url: str
    depth: int
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The outcome of one URL. `content` is set exactly if `status` is "fetched"; otherwise `reason` says why not, in
    words for the operator."""

    url: str
    depth: int
    status: str
    reason: str = ""
    content: PageContent | None = None
    http_status: int | None = None
    body_bytes: int = 0
    etag: str | None = None
    last_modified: str | None = None
    read_at: datetime | None = None


class PageQueue(Protocol):
    """The run's queue and outcomes; they survive the process."""

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        """Queue the URLs that this run has never seen; return how many were new."""
        ...

    async def take(self, limit: int) -> list[QueuedPage]:
        """Take up to `limit` queued URLs, oldest first; each is returned once."""
        ...

    async def seen_count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a reading ended: `stop_reason` in words, and whether it went through the whole queue."""

    stop_reason: str
    is_complete: bool = field(default=True)


class SiteReader(Protocol):
    async def read(
        self,
        source: SourceConfig,
        queue: PageQueue,
        settle: Callable[[ReadPage], Awaitable[None]],
        is_cancelled: Callable[[], Awaitable[bool]],
        *,
        only_queued: bool = False,
        access: SourceAccess | None = None,
    ) -> RunSummary:
        """Read the source's pages through the queue until it is empty, a budget is used up, or `is_cancelled`. With
        `only_queued`, no pages are discovered: only the queue is read. `access` is sent to the source's own website
        alone.

        Calls `settle` once for every page taken, at most a few at a time; its errors end the reading. Raises
        InvalidInput if the source's URL is invalid.
        """
        ...


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in scope, in the form in which a reading writes it, and its last change, if the list has it."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages that a source lists. `problems` are files that could not be read, each with its reason in words."""

    pages: Sequence[ListedPage] = ()
    problems: Sequence[str] = ()


class PageListing(Protocol):
    async def look(self, source: SourceConfig, access: SourceAccess | None = None) -> Listing:
        """What the source's sitemaps or feed list now for requests with `access`; for a source of one page, that page.
        Requests the website, in bounded time. Raises InvalidInput if the source's URL is invalid."""
        ...


FETCHED: Final = "fetched"
FAILED: Final = "failed"
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class GivenPages:
    """What is needed to read the pages of given sources. Close `files` only after this."""

    record: SystemOfRecord
    files: FileReader
    bodies: FileBodies
    clock: Clock

    def fetched(self, content: PageContent, body_bytes: int) -> ReadPage:
        return ReadPage(content.url, 0, FETCHED, content=content, body_bytes=body_bytes, read_at=self.clock.now())


class GivenKind(SourceKind, ABC):
    """Base of kinds whose pages operators add. A source has one page, unless `takes_documents`."""

    is_given = True

    async def urls(self, pages: GivenPages, source: Source) -> list[str]:
        """The addresses of all the source's pages."""
        return [source.given_url]

    @abstractmethod
    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """Read one of the source's pages, as it is now."""
