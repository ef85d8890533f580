"""A SiteReader whose site is a table."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from app.knowledge.document import PageContent
from app.sources.runs.site_reader import PageQueue, QueuedPage, ReadPage, RunSummary
from app.sources.source import SourceAccess, SourceConfig

Read = Callable[[str], Awaitable[None]]


async def _at_once(url: str) -> None:
    """Nothing to wait for."""


class ScriptedSiteReader:
    """`site` has for every URL its content, or the status that it ends with ("not_found" for any other); a content
    that has not changed since the validators were given ends as "unchanged". `before` is awaited before each page;
    `asked` lists the URLs in order, `access` is what the last reading had. The site's own links lead to `found`, all of
    it by default.
    """

    def __init__(
        self, site: Mapping[str, PageContent | str], before: Read = _at_once, found: Sequence[str] | None = None
    ) -> None:
        self.site = dict(site)
        self._found = list(site if found is None else found)
        self.asked: list[str] = []
        self.access: SourceAccess | None = None
        self._before = before

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
        self.access = access
        if not only_queued:
            await queue.add([QueuedPage(url, depth=0) for url in self._found])
        while taken := await queue.take(1):
            if await is_cancelled():
                return RunSummary("The reading was cancelled.", is_complete=False)
            for page in taken:
                self.asked.append(page.url)
                await self._before(page.url)
                await settle(self._page(page))
        return RunSummary("Every page of the source was visited.")

    def _page(self, queued: QueuedPage) -> ReadPage:
        found = self.site.get(queued.url, "not_found")
        read_at = datetime(2026, 1, 1, tzinfo=UTC)
        if isinstance(found, str):
            return ReadPage(queued.url, queued.depth, found, reason=f"It is {found}.", read_at=read_at)
        etag = str(hash(found.markdown))
        if etag == queued.etag:
            return ReadPage(queued.url, queued.depth, "unchanged", http_status=304, etag=etag, read_at=read_at)
        return ReadPage(queued.url, queued.depth, "fetched", content=found, http_status=200, etag=etag, read_at=read_at)
