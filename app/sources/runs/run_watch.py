"""Watches a source's latest run until it ends."""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import NotFound
from app.kit.clock import Clock
from app.sources.records.sources import SourceRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_progress import ProgressLook, RunProgress, run_progress
from app.sources.source import ENDED_STATES, CrawlRun
from app.store.system_of_record import SystemOfRecord

_LOOKS_KEPT = 60


class RunWatch:
    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def run_id(self, actor: Actor, source_id: UUID) -> UUID:
        """The source's latest run. Raises NotFound, also before the first."""
        source = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).find(actor.workspace_id, source_id)
        )
        if source.run is None:
            raise NotFound("crawl run")
        return source.run.id

    async def progress(
        self, actor: Actor, run_id: UUID, pause: Callable[[], Awaitable[bool]]
    ) -> AsyncGenerator[RunProgress]:
        """The run now, then each time it has moved, last its end. `pause` is awaited between two looks, and its False
        ends the watch; so does the run's being deleted."""
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
