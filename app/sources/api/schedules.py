"""Admin API: when a source is read again by itself."""

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.sources import schedules as rules
from app.sources.run_schedule import Schedule, SourceSchedule
from app.sources.schedules import Schedules
from app.web.operation import Api, Call, Model, delete, get, put, read, write

Cron = Annotated[
    str,
    Field(
        max_length=rules.MAX_CRON_CHARS,
        description="Minute, hour, day of month, month, day of week; in UTC, at most once an hour. "
        "The reading begins up to ten minutes later, always the same time for a source.",
    ),
]


class ScheduleIn(Model):
    """Either `cron` or `every_hours`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"every_hours": 24}, {"cron": "0 3 * * *"}]})

    cron: Cron = ""
    every_hours: int = Field(default=0, ge=0, le=rules.MAX_HOURS)

    def schedule(self) -> Schedule:
        return Schedule(self.cron.strip(), self.every_hours)


class ScheduleOut(Model):
    cron: str
    every_hours: int
    next_at: datetime | None = Field(description="When the next reading is due; null without a schedule.")

    @classmethod
    def of(cls, found: SourceSchedule | None) -> "ScheduleOut":
        if found is None:
            return cls(cron="", every_hours=0, next_at=None)
        return super().of(found, found.schedule)


class AdminSchedules(Api):
    tag = "Sources"

    def __init__(self, schedules: Schedules) -> None:
        self._schedules = schedules

    @get("/v1/sources/{source_id}/schedule", "Get the source's crawl schedule", access=read)
    async def get_schedule(self, call: Call[Actor, None]) -> ScheduleOut:
        return ScheduleOut.of(await self._schedules.get(call.caller, call.path_id("source_id")))

    @put("/v1/sources/{source_id}/schedule", "Set the source's crawl schedule", access=write)
    async def set_schedule(self, call: Call[Actor, ScheduleIn]) -> ScheduleOut:
        asked = call.input.schedule()
        return ScheduleOut.of(await self._schedules.set(call.caller, call.path_id("source_id"), asked))

    @delete("/v1/sources/{source_id}/schedule", "Remove the source's crawl schedule", access=write)
    async def clear_schedule(self, call: Call[Actor, None]) -> None:
        await self._schedules.clear(call.caller, call.path_id("source_id"))
