"""Operators' work on sources: add, read, watch, schedule and remove them."""

from datetime import datetime, timedelta
from uuid import UUID

from app.agents.own_agent import OwnAgent, reads_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest, page_of
from app.core.setting import check_limits
from app.kit.clock import Clock
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.sources.cron_calendar import CronCalendar
from app.sources.records import ScheduleRecords, SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import (
    ENDED_STATES,
    CrawlRun,
    PageStatus,
    RunState,
    Schedule,
    Source,
    SourceConfig,
    SourceSchedule,
    check_source,
    next_run,
)
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

changes_of(
    "source",
    "Source",
    "Sources",
    {
        "create": "Source added",
        "edit": "Source changed",
        "delete": "Source deleted",
        "sync": "Reading started",
        "sync_pages": "Reading of some pages started",
        "pause": "Reading paused",
        "resume": "Reading resumed",
        "cancel": "Reading stopped",
        "schedule": "Source schedule set",
        "unschedule": "Source schedule removed",
        "set_access": "Source access set",
        "clear_access": "Source access removed",
        "make_hook": "Publish hook created",
        "remove_hook": "Publish hook removed",
        "upload_file": "File uploaded",
        "replace_file": "File replaced",
        "give_documents": "Documents sent by a program",
    },
)


class Sources(Wired):
    """Every method raises NotFound for an agent or source that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _jobs: JobQueue
    _scope: PageScope

    def check(self, config: SourceConfig) -> None:
        """Raise InvalidInput if `create` would: for invalid settings, or an address that no reading may dial."""
        check_source(config)
        self._scope.check(config)

    async def create(self, actor: Actor, agent_id: UUID, config: SourceConfig) -> Source:
        """Add a source. Raises InvalidInput, also for a file, which has to be uploaded instead."""
        if config.kind.has_file:
            raise InvalidInput(
                "kind", "Upload a file with POST /v1/agents/{agent_id}/files, or `docent source add-file`."
            )
        self.check(config)

        def work(tx: Transaction) -> Source:
            source = SourceRecords(tx).create(agent_id, config)
            AuditRecords(tx).acted(
                actor, "source.create", source.id, agent_id=str(agent_id), kind=config.kind.value, url=config.url
            )
            return source

        return await OwnAgent(self._records, actor, agent_id).write(work)

    @reads_agent
    def sources(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[Source]:
        """The agent's sources, oldest first, each with its latest run."""
        return page_of(SourceRecords(tx).sources(agent_id), page, lambda source: str(source.id))

    @reads
    def source(self, tx: Transaction, actor: Actor, source_id: UUID) -> Source:
        """The source with its latest run and that run's counts."""
        return SourceRecords(tx).find(actor.workspace_id, source_id)

    async def sync(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Read the source; return the run, which may be queued or running already. A paused run resumes."""

        def work(tx: Transaction) -> CrawlRun:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
            run = CrawlRunRecords(tx).resume_run(run.id)
            AuditRecords(tx).acted(actor, "source.sync", source_id, run_id=str(run.id))
            return run

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        # A crash before this line leaves a queued run, which the next worker that starts picks up.
        await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run

    async def cancel(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """End the latest run; what it has learnt stays. An ended run is returned unchanged."""
        return await self._stop(
            actor, source_id, "source.cancel", RunState.CANCELLED, "An operator cancelled the reading."
        )

    async def pause(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Pause the latest run: pages in progress are finished. Raises InvalidInput if it has ended."""
        return await self._stop(actor, source_id, "source.pause", RunState.PAUSED)

    async def resume(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Resume a paused run; return an active one unchanged. Raises InvalidInput if it has ended."""

        def work(tx: Transaction) -> CrawlRun:
            run = CrawlRunRecords(tx).resume_run(_latest_run(tx, actor, source_id).id)
            _check_unfinished(run)
            AuditRecords(tx).acted(actor, "source.resume", source_id, run_id=str(run.id))
            return run

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run

    @writes
    def _stop(
        self, tx: Transaction, actor: Actor, source_id: UUID, action: str, state: RunState, reason: str = ""
    ) -> CrawlRun:
        run = _latest_run(tx, actor, source_id)
        if state is RunState.PAUSED:
            _check_unfinished(run)
        if run.state in ENDED_STATES:
            return run
        CrawlRunRecords(tx).set_run_state(run.id, state, reason)
        AuditRecords(tx).acted(actor, action, source_id, run_id=str(run.id))
        return CrawlRunRecords(tx).run(run.id)

    @reads
    def pages(
        self, tx: Transaction, actor: Actor, source_id: UUID, page: PageRequest, status: str | None = None
    ) -> ListPage[PageStatus]:
        """Pages of the latest run; none before the first."""
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        if source.run is None:
            return ListPage(items=())
        return CrawlPageRecords(tx).pages(source.run.id, page, status)


def _latest_run(tx: Transaction, actor: Actor, source_id: UUID) -> CrawlRun:
    """The source's latest run. Raises NotFound, also before the first."""
    source = SourceRecords(tx).find(actor.workspace_id, source_id)
    if source.run is None:
        raise NotFound("crawl run")
    return source.run


def _check_unfinished(run: CrawlRun) -> None:
    if run.state in ENDED_STATES:
        raise InvalidInput(
            "source_id", f"The latest crawl has ended ({run.state.value}). Sync the source to start another."
        )


LEAST_PAUSE = timedelta(hours=1)

_MOMENTS_LOOKED_AT = 60


class Schedules(Wired):
    """Every method raises NotFound for a source that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _calendar: CronCalendar
    _clock: Clock

    @writes
    def set(self, tx: Transaction, actor: Actor, source_id: UUID, schedule: Schedule) -> SourceSchedule:
        """Set the schedule, which applies from now on. Raises InvalidInput."""
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        self.check(source.config, schedule)
        begun = self.begin(tx, source, schedule)
        AuditRecords(tx).acted(
            actor, "source.schedule", source_id, cron=schedule.cron, every_hours=schedule.every_hours
        )
        return begun

    def begin(self, tx: Transaction, source: Source, schedule: Schedule) -> SourceSchedule:
        """Like `set`, for a schedule that the caller has checked."""
        now = self._clock.now()
        next_at = next_run(schedule, source.id, now, now, self._calendar.first_after)
        ScheduleRecords(tx).set(source.id, schedule, next_at)
        return SourceSchedule(source.id, source.agent_id, schedule, now, next_at)

    @reads
    def schedule(self, tx: Transaction, actor: Actor, source_id: UUID) -> SourceSchedule | None:
        """The source's schedule; None if it is only read on request."""
        SourceRecords(tx).find(actor.workspace_id, source_id)
        return ScheduleRecords(tx).of_sources([source_id]).get(source_id)

    @writes
    def clear(self, tx: Transaction, actor: Actor, source_id: UUID) -> None:
        SourceRecords(tx).find(actor.workspace_id, source_id)
        ScheduleRecords(tx).clear(source_id)
        AuditRecords(tx).acted(actor, "source.unschedule", source_id)

    def check(self, config: SourceConfig, schedule: Schedule) -> None:
        """Check a schedule. Raises InvalidInput, naming the field and the fix."""
        check_kind(config)
        if bool(schedule.cron) == bool(schedule.every_hours):
            raise InvalidInput("", "Set either cron or every_hours, not both.")
        check_limits("", schedule)
        if schedule.cron and self._least_pause(schedule.cron, self._clock.now()) < LEAST_PAUSE:
            raise InvalidInput("cron", 'This is more often than once an hour. Use one minute, as in "0 * * * *".')

    def _least_pause(self, cron: str, now: datetime) -> timedelta:
        least, moment = timedelta.max, self._calendar.first_after(cron, now)
        for _ in range(_MOMENTS_LOOKED_AT):
            after = self._calendar.first_after(cron, moment)
            least, moment = min(least, after - moment), after
        return least


def check_kind(config: SourceConfig) -> None:
    """Raises InvalidInput for a source without anything to fetch."""
    if config.kind.is_given:
        raise InvalidInput(
            "source_id",
            f'A source of kind "{config.kind.value}" has nothing to fetch. It changes only when you edit it.',
        )
