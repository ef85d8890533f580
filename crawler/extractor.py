"""The seam between a crawl and what reads its pages."""

from typing import Protocol

from crawler.page import Page


class Extractor(Protocol):
    """Turns the bytes of one HTML page into a Page."""

    async def extract(self, body: bytes, url: str, charset: str | None) -> Page:
        """`url` is that of the page after redirects; `charset` comes from the HTTP header, None = not given.

        A page without main text has empty `markdown`. Raises ExtractionFailed when the page cannot be read.
        """
        ...
