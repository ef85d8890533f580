"""Admin API: when a source is read again by itself."""

from collections.abc import Sequence

from app.operating.actor import Actor
from app.operating.schedules import Schedules
from app.web.admin_access import AdminAccess
from app.web.admin_sources import TAG
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.schedule_models import ScheduleIn, ScheduleOut


class AdminSchedules:
    def __init__(self, schedules: Schedules, access: AdminAccess) -> None:
        self._schedules = schedules
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        path = "/v1/sources/{source_id}/schedule"
        return (
            Endpoint(
                "GET",
                path,
                "getSchedule",
                "When the source is read again by itself",
                TAG,
                self._access.read,
                self.get,
                response_model=ScheduleOut,
                codes=("not_found",),
            ),
            Endpoint(
                "PUT",
                path,
                "setSchedule",
                "Have the source read again by itself",
                TAG,
                self._access.write,
                self.set,
                input_model=ScheduleIn,
                response_model=ScheduleOut,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                path,
                "clearSchedule",
                "Have the source read only when somebody asks for it",
                TAG,
                self._access.write,
                self.clear,
                status=204,
                codes=("not_found",),
            ),
        )

    async def get(self, call: Call[Actor, None]) -> ScheduleOut:
        return ScheduleOut.of(await self._schedules.get(call.caller, call.path_id("source_id")))

    async def set(self, call: Call[Actor, ScheduleIn]) -> ScheduleOut:
        asked = call.input.schedule()
        return ScheduleOut.of(await self._schedules.set(call.caller, call.path_id("source_id"), asked))

    async def clear(self, call: Call[Actor, None]) -> None:
        await self._schedules.clear(call.caller, call.path_id("source_id"))
