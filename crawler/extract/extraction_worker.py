"""The process that extracts pages for an `ExtractionPool`: one page at a time over a pipe until that closes."""

import logging
from dataclasses import dataclass
from multiprocessing.connection import Connection

from crawler.errors import ExtractionFailed
from crawler.extract.page import Page
from crawler.worker_processes import serve_requests


@dataclass(frozen=True, slots=True)
class PageRequest:
    body: bytes
    url: str
    charset: str | None
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class PageFailure:
    """The error of a page in words, because not every exception can be pickled."""

    reason: str


Answer = Page | PageFailure


def serve_pages(pipe: Connection) -> None:
    """Entry point of the process. Ends when the other side closes the pipe."""
    from crawler.extract.extraction import extract_page  # heavy, and the pool's own process does not need it

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # its messages name no page

    def answer(request: PageRequest) -> Answer:
        try:
            return extract_page(request.body, request.url, request.charset, media_type=request.media_type)
        except ExtractionFailed as error:
            return PageFailure(error.reason)
        except Exception as error:
            return PageFailure(f"the page could not be read: {type(error).__name__}: {error}")

    serve_requests(pipe, answer)
