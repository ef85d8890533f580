"""Port: sources, the runs that read them, and each run's pages."""

from collections.abc import Collection, Sequence
from typing import Protocol
from uuid import UUID

from app.domain.list_page import ListPage, PageRequest
from app.domain.source import CrawlRun, KnownPage, PageStatus, RunState, Source, SourceConfig
from app.ports.site_reader import QueuedPage, ReadPage


class SourceRecords(Protocol):
    """Sources belong to agents whose workspace the caller has checked; `get` and `of_agent` see that agent only."""

    async def create(self, agent_id: UUID, config: SourceConfig) -> Source: ...

    async def get(self, agent_id: UUID, source_id: UUID) -> Source:
        """With its latest run. Raises NotFound."""
        ...

    async def find(self, workspace_id: UUID, source_id: UUID) -> Source:
        """The same for a caller who knows the workspace only. Raises NotFound."""
        ...

    async def of_agent(self, agent_id: UUID) -> list[Source]:
        """Oldest first, each with its latest run."""
        ...

    async def save(self, agent_id: UUID, source_id: UUID, config: SourceConfig) -> Source: ...

    async def delete(self, agent_id: UUID, source_id: UUID) -> list[UUID]:
        """Remove the source with its documents; return their version ids, whose index rows are now orphans. The
        agent's generation rises if there were any. Raises NotFound."""
        ...

    async def start_run(self, agent_id: UUID, source_id: UUID, *, only_asked: bool = False) -> CrawlRun:
        """A queued run; a source that already has a queued, running or paused one gives that one back, which reads
        the whole source from then on unless `only_asked`."""
        ...

    async def ask_again(self, run_id: UUID, urls: Sequence[str]) -> None:
        """Have an unfinished run read these pages, also those that it has read already."""
        ...

    async def run(self, run_id: UUID) -> CrawlRun:
        """With its counts by page status. Raises NotFound."""
        ...

    async def run_source(self, run_id: UUID) -> Source: ...

    async def set_run_state(self, run_id: UUID, state: RunState, stop_reason: str = "", leg: int | None = None) -> bool:
        """Also sets started_at or ended_at where the state says so; return whether it was set. A cancelled run stays
        cancelled. With `leg`, as a reader says it, a run that is paused, has ended or is in another leg stays as
        it is. Raises NotFound."""
        ...

    async def resume_run(self, run_id: UUID) -> CrawlRun:
        """A paused run is queued again, in its next leg; any other stays as it is. Raises NotFound."""
        ...

    async def requeue_taken(self, run_id: UUID) -> int:
        """Pages that a dead process had taken go back to the queue; return how many."""
        ...

    async def add_pages(self, run_id: UUID, pages: Sequence[QueuedPage]) -> int:
        """Queue the URLs that the run has never seen; return how many were new. A few hundred at a time: whoever
        writes meanwhile waits."""
        ...

    async def pages_before(self, run_id: UUID, limit: int, except_statuses: Collection[str] = ()) -> list[QueuedPage]:
        """Up to `limit` URLs of the source's reading before this one, in its order, but for those that ended there in
        one of `except_statuses`."""
        ...

    async def known_pages(self, source_id: UUID) -> list[KnownPage]:
        """The pages of the source's last reading of the whole of it; none before the first."""
        ...

    async def take_pages(self, run_id: UUID, limit: int) -> list[QueuedPage]:
        """Oldest first; each is handed out once. Validators come from the source's last reading of that URL that
        led to a document which is live now."""
        ...

    async def document_of(self, source_id: UUID, url: str) -> UUID | None:
        """The live document that the source's last reading of the URL led to."""
        ...

    async def settle_page(
        self, run_id: UUID, page: ReadPage, status: str, document_id: UUID | None, chunks: int
    ) -> None:
        """Record how a page ended. `status` is the page's own, or what ingest made of it (indexed, unchanged,
        duplicate, empty). A 304 keeps the validators and the document of the reading before it. Raises NotFound
        for a page that the run never queued."""
        ...

    async def settle_missed(self, run_id: UUID, pages: Sequence[ReadPage]) -> None:
        """Record how pages ended that the run need not have queued. A few hundred at a time, as above."""
        ...

    async def seen_pages(self, run_id: UUID) -> int: ...

    async def pages(self, run_id: UUID, page: PageRequest, status: str | None = None) -> ListPage[PageStatus]:
        """In the order in which they were found."""
        ...

    async def unfinished_runs(self) -> list[CrawlRun]:
        """Runs that are queued or running: a worker that starts asks for them."""
        ...
