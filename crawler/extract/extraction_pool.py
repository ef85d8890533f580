"""Port: extracts the pages of a crawl. Its adapter uses processes that can be killed, because a page may be slow or
hostile."""

import logging
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol, Self
from urllib.parse import urlsplit

from crawler.errors import ExtractionFailed
from crawler.extract.page import Page
from crawler.worker_processes import Serve, WorkerCrashed, WorkerFailed, WorkerProcesses, WorkerTimedOut, serve_requests


class Extractor(Protocol):
    """Turns the bytes of one page, HTML or Markdown, into a `Page`."""

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        """Extract the page at `url`, its address after redirects. `charset` comes from the HTTP header, None if not
        given. A page without main text has empty `markdown`. Raises ExtractionFailed if the page cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class PageRequest:
    body: bytes
    url: str
    charset: str | None
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class PageFailure:
    """The error of a page as text, because not every exception can be pickled."""

    reason: str


Answer = Page | PageFailure


def serve_pages(pipe: Connection) -> None:
    """Entry point of the process. Ends when the other side closes the pipe."""
    from crawler.extract.extraction import extract_page  # slow to import, and not needed in the parent process

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # its messages name no page

    def answer(request: PageRequest) -> Answer:
        try:
            return extract_page(request.body, request.url, request.charset, media_type=request.media_type)
        except ExtractionFailed as error:
            return PageFailure(error.reason)
        except Exception as error:
            return PageFailure(f"the page could not be read: {type(error).__name__}: {error}")

    serve_requests(pipe, answer)


DEFAULT_TIMEOUT_SECONDS = 20.0


class ExtractionPool:
    """An Extractor on at most `max_workers` processes, started when first needed.

    `per_owner` and `max_idle` as in `WorkerProcesses`. A page that takes longer than `timeout_seconds` fails with
    ExtractionFailed and its process is killed. A page whose process dies is tried once more in a new one. Close with
    `aclose()` or use as an async context manager.
    """

    def __init__(
        self,
        max_workers: int = 1,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        serve: Serve = serve_pages,
        *,
        per_owner: int | None = None,
        max_idle: int | None = None,
    ) -> None:
        self._processes = WorkerProcesses(serve, timeout_seconds, max_workers, per_owner=per_owner, max_idle=max_idle)

    async def extract(
        self, body: bytes, url: str, charset: str | None, media_type: str = "text/html", owner: str = ""
    ) -> Page:
        """Wait for a free worker and extract the page; the time limit starts then. Owners (by default hosts) take
        turns. Raises ExtractionFailed."""
        request = PageRequest(body, url, charset, media_type)
        try:
            answer = await self._processes.ask(request, owner or urlsplit(url).netloc)
        except WorkerTimedOut as error:
            raise ExtractionFailed(f"reading it {error}") from error
        except WorkerCrashed as error:
            raise ExtractionFailed(f"the process that read the page {error}") from error
        except WorkerFailed as error:
            raise ExtractionFailed(f"the extraction pool {error}") from error
        if isinstance(answer, Page):
            return answer
        raise ExtractionFailed(answer.reason if isinstance(answer, PageFailure) else "the process answered out of turn")

    async def aclose(self) -> None:
        """End all processes, including busy ones, whose pages fail. Idempotent."""
        await self._processes.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
