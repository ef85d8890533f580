"""When operators have a source read again by itself."""

from datetime import datetime, timedelta
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_between, check_line
from app.kit.clock import Clock
from app.sources.cron_calendar import CronCalendar
from app.sources.records.schedules import ScheduleRecords
from app.sources.records.sources import SourceRecords
from app.sources.run_schedule import Schedule, SourceSchedule, next_run
from app.sources.source import GIVEN_KINDS, Source, SourceConfig, SourceKind
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_CRON_CHARS = 100
MAX_HOURS = 24 * 90
LEAST_PAUSE = timedelta(hours=1)

_MOMENTS_LOOKED_AT = 60
_FROM_THE_WEB = frozenset(set(SourceKind) - GIVEN_KINDS)


class Schedules:
    """Every method raises NotFound for a source that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, calendar: CronCalendar, clock: Clock) -> None:
        self._records = records
        self._calendar = calendar
        self._clock = clock

    async def set(self, actor: Actor, source_id: UUID, schedule: Schedule) -> SourceSchedule:
        """From now on. Raises InvalidInput."""

        def work(tx: Transaction) -> SourceSchedule:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            self.check(source.config, schedule)
            begun = self.begin(tx, source, schedule)
            AuditRecords(tx).acted(
                actor, "source.schedule", source_id, cron=schedule.cron, every_hours=schedule.every_hours
            )
            return begun

        return await self._records.of_workspace(actor.workspace_id).write(work)

    def begin(self, tx: Transaction, source: Source, schedule: Schedule) -> SourceSchedule:
        """From now on; it was checked."""
        now = self._clock.now()
        next_at = next_run(schedule, source.id, now, now, self._calendar.first_after)
        ScheduleRecords(tx).set(source.id, schedule, next_at)
        return SourceSchedule(source.id, source.agent_id, schedule, now, next_at)

    async def get(self, actor: Actor, source_id: UUID) -> SourceSchedule | None:
        """None where the source is read only when somebody asks for it."""

        def work(tx: Transaction) -> SourceSchedule | None:
            SourceRecords(tx).find(actor.workspace_id, source_id)
            return ScheduleRecords(tx).of_sources([source_id]).get(source_id)

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def clear(self, actor: Actor, source_id: UUID) -> None:
        def work(tx: Transaction) -> None:
            SourceRecords(tx).find(actor.workspace_id, source_id)
            ScheduleRecords(tx).clear(source_id)
            AuditRecords(tx).acted(actor, "source.unschedule", source_id)

        await self._records.of_workspace(actor.workspace_id).write(work)

    def check(self, config: SourceConfig, schedule: Schedule) -> None:
        """Raises InvalidInput, naming the field and the fix."""
        check_kind(config)
        if bool(schedule.cron) == bool(schedule.every_hours):
            raise InvalidInput("", "Set either cron or every_hours, and only one of them.")
        if schedule.every_hours:
            check_between("every_hours", schedule.every_hours, 1, MAX_HOURS)
            return
        check_line("cron", schedule.cron, MAX_CRON_CHARS, may_be_empty=False)
        if self._least_pause(schedule.cron, self._clock.now()) < LEAST_PAUSE:
            raise InvalidInput(
                "cron", 'This reads the source more often than once an hour. Name one minute, as in "0 * * * *".'
            )

    def _least_pause(self, cron: str, now: datetime) -> timedelta:
        least, moment = timedelta.max, self._calendar.first_after(cron, now)
        for _ in range(_MOMENTS_LOOKED_AT):
            after = self._calendar.first_after(cron, moment)
            least, moment = min(least, after - moment), after
        return least


def check_kind(config: SourceConfig) -> None:
    """Raises InvalidInput for a source that has nothing to be fetched."""
    if config.kind not in _FROM_THE_WEB:
        raise InvalidInput(
            "source_id",
            f"A source of kind {config.kind.value!r} changes when you change it; nothing of it is fetched.",
        )
