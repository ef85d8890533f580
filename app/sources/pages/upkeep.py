"""The console's page for a source's upkeep: its schedule, its publish hook, its website's credentials, and an estimate
of another reading."""

from pydantic import Field

from app.core.errors import InvalidInput
from app.sources.api.source_editing import SourceAccessIn
from app.sources.api.sources import ScheduleIn
from app.sources.listed.document_list import ApiAccess, ListedKind
from app.sources.pages.sources import own_source
from app.sources.runs.run_control import RunPreview, RunPreviews
from app.sources.source import AccessKind, Schedule, Source, SourceAccess
from app.sources.source_editing import SourceAccesses, SourceHooks
from app.sources.sources import Schedules, Sources
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write

_PATH = "/console/agents/{agent_id}/sources/{source_id}/upkeep"
_SHOWN = "source_upkeep"


class ScheduleForm(ScheduleIn, Form):
    """At most one of the two; with neither, the source is only read on request."""


class AccessForm(SourceAccessIn, Form):
    kind: AccessKind = AccessKind.BASIC
    name: str = ""
    secret: str = Field(default="", repr=False)


class SourceUpkeepPages(Pages):
    _sources: Sources
    _schedules: Schedules
    _hooks: SourceHooks
    _previews: RunPreviews
    _accesses: SourceAccesses

    @page(_PATH, access=read, under="sources")
    async def source_upkeep(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit, await own_source(self._sources, visit))

    @action(_PATH + "/schedule", access=write, shown_on=_SHOWN, under="sources")
    async def set_schedule(self, visit: Visit[ScheduleForm]) -> Go:
        source, schedule = await own_source(self._sources, visit), visit.input.schedule()
        here = visit.url(_SHOWN, source_id=source.id)
        if schedule == Schedule():
            await self._schedules.clear(visit.actor, source.id)
            button = "Read again" if source.run else "Read now"
            return Go(here, f"Schedule removed. Docent reads this source only when you choose {button}.")
        if schedule.every_hours and schedule.cron:
            raise InvalidInput("cron", "Enter either hours or a cron expression, and leave the other field blank.")
        found = await self._schedules.set(visit.actor, source.id, schedule)
        return Go(here, f"Schedule saved. The next reading is on {found.next_at:%Y-%m-%d at %H:%M} UTC.")

    @action(_PATH + "/hook", access=write, shown_on=_SHOWN, under="sources")
    async def make_hook(self, visit: Visit[NoForm]) -> Shown:
        """Shown in the response itself, because a secret must not be in a cookie or an address."""
        source = await own_source(self._sources, visit)
        return await self._page(visit, source, secret=await self._hooks.make(visit.actor, source.id))

    @action(_PATH + "/hook/remove", access=write, shown_on=_SHOWN, under="sources")
    async def remove_hook(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        await self._hooks.remove(visit.actor, source.id)
        return Go(visit.url(_SHOWN, source_id=source.id), "Publish hook removed. Calls to it are now refused.")

    @action(_PATH + "/preview", access=write, shown_on=_SHOWN, under="sources")
    async def preview_reading(self, visit: Visit[NoForm]) -> Shown:
        """Nothing is embedded or stored, so there is no other page to redirect to."""
        source = await own_source(self._sources, visit)
        return await self._page(visit, source, preview=await self._previews.preview(visit.actor, source.id))

    @action(_PATH + "/access", access=write, shown_on=_SHOWN, under="sources")
    async def set_source_access(self, visit: Visit[AccessForm]) -> Go:
        source, given = await own_source(self._sources, visit), visit.input
        await self._accesses.set(visit.actor, source.id, SourceAccess(given.kind, given.name, given.secret))
        return Go(visit.url(_SHOWN, source_id=source.id), "Access saved. The next reading uses it.")

    @action(_PATH + "/access/remove", access=write, shown_on=_SHOWN, under="sources")
    async def clear_source_access(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        await self._accesses.clear(visit.actor, source.id)
        return Go(visit.url(_SHOWN, source_id=source.id), "Access removed. The next reading goes without it.")

    async def _page(
        self, visit: Visit[Form], source: Source, *, secret: str = "", preview: RunPreview | None = None
    ) -> Shown:
        kind = source.config.kind
        context = {
            "source": source,
            "is_fetched": not kind.is_given,
            "hook": f"{str(visit.request.base_url).rstrip('/')}/v1/hooks/sources/{source.id}",
            "secret": secret,
            "preview": preview,
            "api_access": kind.api_access if isinstance(kind, ListedKind) else ApiAccess(),
            "access": await self._accesses.access(visit.actor, source.id),
        }
        return Shown("sources/pages/source_upkeep.html", context)
