"""Which URL of a crawl stands for a page that has several."""

from typing import Protocol


class PageClaims(Protocol):
    """Decides between URLs that lead to the same page. Keep it where the frontier is kept: then a resumed crawl
    decides as the first one did. If it is lost, a page may be delivered once more under another URL."""

    async def claim(self, page_key: str, by: str) -> str:
        """Let `by` stand for the page unless another URL already does; return the URL that does.

        `page_key` is what `scope.page_key` makes of the page's URL.
        """
        ...


class MemoryPageClaims:
    """Claims for one process."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}

    async def claim(self, page_key: str, by: str) -> str:
        return self._holders.setdefault(page_key, by)
