"""The seam between a crawl and what runs a page's scripts, for pages that have no text without them."""

from typing import Protocol

from crawler.fetch.fetch_result import Fetched


class PageRenderer(Protocol):
    """Runs the scripts of one page and gives back what they made of it."""

    async def render(self, fetched: Fetched) -> bytes:
        """The page's HTML in UTF-8 once it has settled. Nothing is asked for but by the crawler's own fetcher.

        Raises RenderingFailed.
        """
        ...
