"""Extracts pages in processes that may be killed: a page can be slow or hostile, and the crawl continues."""

from typing import Self
from urllib.parse import urlsplit

from crawler.errors import ExtractionFailed
from crawler.extract.extraction_worker import PageFailure, PageRequest, serve_pages
from crawler.extract.page import Page
from crawler.worker_processes import Serve, WorkerCrashed, WorkerFailed, WorkerProcesses, WorkerTimedOut

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
        """Wait for a free worker, for which owners take turns, by default hosts; the page's time counts from then.
        Raises ExtractionFailed."""
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
