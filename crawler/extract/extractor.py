"""Port: extracts the pages of a crawl."""

from typing import Protocol

from crawler.extract.page import Page


class Extractor(Protocol):
    """Turns the bytes of one page, HTML or Markdown, into a `Page`."""

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        """`url` is that of the page after redirects; `charset` comes from the HTTP header, None if not given.

        A page without main text has empty `markdown`. Raises ExtractionFailed if the page cannot be read.
        """
        ...
