"""Operators have single pages of a source read, watch a run, and preview the next one."""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.kit.clock import Clock
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.sources.records import SourceAccessRecords, SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_pages import LOST
from app.sources.runs.run_progress import ProgressLook, RunProgress, run_progress
from app.sources.runs.site_reader import ListedPage, PageListing
from app.sources.source import ENDED_STATES, CrawlRun, KnownPage, RunState, Source, SourceAccess
from app.sources.sources import check_kind
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.records.audit import AuditRecords

_LOOKS_KEPT = 60


class RunWatch(Wired):
    _records: SystemOfRecord
    _clock: Clock

    @reads
    def run_id(self, tx: Transaction, actor: Actor, source_id: UUID) -> UUID:
        """The source's latest run. Raises NotFound, also before the first."""
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        if source.run is None:
            raise NotFound("crawl run")
        return source.run.id

    async def progress(
        self, actor: Actor, run_id: UUID, pause: Callable[[], Awaitable[bool]]
    ) -> AsyncGenerator[RunProgress]:
        """Yield the run's progress now, then whenever it has changed, and at its end. `pause` is awaited between two
        checks. The watch ends early if it returns False, or the run is deleted."""
        earlier: deque[ProgressLook] = deque(maxlen=_LOOKS_KEPT)
        shown: CrawlRun | None = None
        while True:
            try:
                run = await self._records.of_workspace(actor.workspace_id).read(
                    lambda tx: CrawlRunRecords(tx).run(run_id)
                )
            except NotFound:
                return
            now = self._clock.now()
            progress = run_progress(run, now, earlier)
            if run != shown:
                yield progress
            shown = run
            earlier.append(ProgressLook(now, progress.fetched))
            if run.state in ENDED_STATES or not await pause():
                return


MAX_URLS = 500


class PageSync(Wired):
    _records: SystemOfRecord
    _jobs: JobQueue
    _scope: PageScope

    async def pages(self, actor: Actor, source_id: UUID, urls: Sequence[str]) -> CrawlRun:
        """Read these pages and no others. A running reading includes them; a paused one keeps them until it resumes.
        Raises NotFound, and InvalidInput for an address outside of the source."""
        if not 1 <= len(urls) <= MAX_URLS:
            raise InvalidInput("urls", f"Send 1 to {MAX_URLS} addresses, or leave out urls to read the whole source.")
        config = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).find(actor.workspace_id, source_id).config
        )
        check_kind(config)
        pages = self._scope.canonical(config, urls)

        def work(tx: Transaction) -> CrawlRun:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            run = CrawlRunRecords(tx).start_run(source.agent_id, source.id, only_asked=True)
            CrawlPageRecords(tx).ask_again(run.id, pages)
            AuditRecords(tx).acted(actor, "source.sync_pages", source_id, run_id=str(run.id), pages=len(pages))
            return CrawlRunRecords(tx).run(run.id)

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        if run.state is not RunState.PAUSED:
            await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run


@dataclass(frozen=True, slots=True)
class RunPreview:
    """An estimate of the next reading. An unknown page counts as the mean of known ones."""

    pages_known: Annotated[int, "Pages of the last complete reading."]
    pages_listed: Annotated[int, "Pages that the sitemaps or the feed list now."]
    pages_to_ask: Annotated[int, "Pages that would be requested. For an unchanged page, the server sends only headers."]
    pages_new: Annotated[int, "Pages among these that were never read."]
    pages_changed: Annotated[int, "Pages among these that are listed with a later date than their last reading."]
    chunks_known: int
    chunks_expected: Annotated[int | None, "Chunks to embed from new and changed pages; null if nothing is known yet."]
    chunks_at_most: Annotated[int | None, "Chunks to embed if every page that is not listed as unchanged had changed."]
    problems: Annotated[tuple[str, ...], "Lists that could not be read, with the reason."] = ()


class RunPreviews(Wired):
    _records: SystemOfRecord
    _listing: PageListing

    async def preview(self, actor: Actor, source_id: UUID) -> RunPreview:
        """Estimate the next reading. Raises NotFound, and InvalidInput for a source without anything to fetch."""

        def work(tx: Transaction) -> tuple[dict[str, KnownPage], Source, SourceAccess | None]:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            known = {page.url: page for page in CrawlPageRecords(tx).known_pages(source_id)}
            return known, source, SourceAccessRecords(tx).opened(source_id)

        known, source, access = await self._records.of_workspace(actor.workspace_id).read(work)
        check_kind(source.config)
        listing = await self._listing.look(source.config, access)  # no transaction is open during these requests
        return preview(source, known, {page.url: page for page in listing.pages}, tuple(listing.problems))


def preview(
    source: Source, known: Mapping[str, KnownPage], listed: Mapping[str, ListedPage], problems: tuple[str, ...] = ()
) -> RunPreview:
    """Estimate the next reading from the known and the listed pages, by URL."""
    wanted = dict.fromkeys(listed)
    if source.config.kind.keeps_pages:
        wanted = dict.fromkeys(url for url, page in known.items() if page.status not in LOST) | wanted
    to_ask = list(wanted)[: source.config.max_pages]
    new = [url for url in to_ask if url not in known]
    changed = [url for url in to_ask if url in known and _is_later(listed.get(url), known[url]) is True]
    unchanged = {url for url in to_ask if url in known and _is_later(listed.get(url), known[url]) is False}
    with_chunks = [page.chunks for page in known.values() if page.chunks]
    expected = at_most = None
    if with_chunks:
        mean = sum(with_chunks) / len(with_chunks)
        expected = _chunks([*new, *changed], known, mean)
        at_most = _chunks([url for url in to_ask if url not in unchanged], known, mean)
    return RunPreview(
        pages_known=len(known),
        pages_listed=len(listed),
        pages_to_ask=len(to_ask),
        pages_new=len(new),
        pages_changed=len(changed),
        chunks_known=sum(with_chunks),
        chunks_expected=expected,
        chunks_at_most=at_most,
        problems=problems,
    )


def _is_later(listed: ListedPage | None, known: KnownPage) -> bool | None:
    """Whether the list dates the page's change after its reading; None if it has no date."""
    if listed is None or listed.last_modified is None or known.read_at is None:
        return None
    return listed.last_modified > known.read_at


def _chunks(urls: list[str], known: Mapping[str, KnownPage], mean: float) -> int:
    return ceil(sum(known[url].chunks or mean if url in known else mean for url in urls))
