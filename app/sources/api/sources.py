"""Admin API: sources, their runs and schedules, and what a website offers as sources."""

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, GetPydanticSchema, PlainSerializer

from app.core.actor import Actor
from app.core.setting import at_most, required
from app.sources.discovery import Discovery, SiteOffer, SiteOffers, SiteProblem
from app.sources.kinds import KINDS, kind_named
from app.sources.runs.run_control import MAX_URLS, PageSync
from app.sources.source import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    STATUS,
    CrawlRun,
    PageStatus,
    Schedule,
    Source,
    SourceConfig,
    SourceKind,
    SourceSchedule,
)
from app.sources.sources import Schedules, Sources
from app.web.model import Patch, RequiredUrl, Url, example
from app.web.operation import Api, Call, ListOut, ListQuery, Model, delete, get, post, put, read, write


class ScheduleIn(Model, takes=Schedule, fields="cron every_hours"):
    """Either `cron` or `every_hours`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"every_hours": 24}, {"cron": "0 3 * * *"}]})

    def schedule(self) -> Schedule:
        given = self.made(Schedule)
        return replace(given, cron=given.cron.strip())


class ScheduleOut(Model, shows=SourceSchedule, parts="schedule", fields="cron every_hours next_at"):
    cron: Annotated[str, ""]
    every_hours: int
    next_at: datetime | None


class AdminSchedules(Api):
    tag = "Sources"
    _schedules: Schedules

    @get("/v1/sources/{source_id}/schedule", "Get the source's crawl schedule", access=read)
    async def get_schedule(self, call: Call[Actor, None]) -> ScheduleOut:
        found = await self._schedules.schedule(call.caller, call.path_id("source_id"))
        return ScheduleOut.showing(found) if found else ScheduleOut(cron="", every_hours=0, next_at=None)

    @put("/v1/sources/{source_id}/schedule", "Set the source's crawl schedule", access=write)
    async def set_schedule(self, call: Call[Actor, ScheduleIn]) -> ScheduleOut:
        schedule = call.input.schedule()
        return ScheduleOut.showing(await self._schedules.set(call.caller, call.path_id("source_id"), schedule))

    @delete("/v1/sources/{source_id}/schedule", "Remove the source's crawl schedule", access=write)
    async def clear_schedule(self, call: Call[Actor, None]) -> None:
        await self._schedules.clear(call.caller, call.path_id("source_id"))


TAG = "Sources"
MAX_BODY_BYTES = 4 * 1024 * 1024  # a pasted text


_NAMES: Any = cast(Any, StrEnum)("SourceKind", [(kind.value, kind.value) for kind in KINDS])
KindName = Annotated[
    SourceKind,
    GetPydanticSchema(lambda _, handler: handler.generate_schema(_NAMES)),
    BeforeValidator(lambda kind: _NAMES(kind.value) if isinstance(kind, SourceKind) else kind),
    AfterValidator(lambda name: kind_named(name.value)),
    PlainSerializer(lambda kind: _NAMES(kind.value), return_type=_NAMES, when_used="json"),
]
"""A kind, which JSON and forms name."""


_FIELDS = "include exclude max_pages max_depth read_files keep_repeated page_url branch folder"


@example(kind="site", name="Docs", url="https://docs.example.com")
class SourceCreate(Model, takes=SourceConfig, fields=f"kind name url text {_FIELDS}"):
    kind: KindName
    name: Annotated[str, at_most(MAX_NAME_CHARS), "If left out, the address."] = ""
    url: Url = ""
    schedule: ScheduleIn | None = Field(default=None, description="When to read the source again automatically.")

    def config(self) -> SourceConfig:
        return self.made(SourceConfig, name=self.name or self.url[:MAX_NAME_CHARS])


class SourcePatch(Patch, takes=SourceConfig, fields=f"name text url {_FIELDS} is_public"):
    """Fields that are not sent stay unchanged; the next sync applies the others."""

    text: Annotated[str, required(MAX_TEXT_CHARS)] = "?"
    url: Annotated[
        str,
        'The website\'s address; for kinds "text" and "file", where citations link to. Pages of another website are no '
        "longer used from then on, and its credentials are forgotten.",
    ] = ""


class RunOut(
    Model,
    shows=CrawlRun,
    fields="id source_id state created_at started_at ended_at stop_reason counts kept_pages only_asked",
): ...


class SyncIn(Model):
    urls: Annotated[
        tuple[str, ...] | None,
        required(MAX_URLS),
        "The only pages to read: new, changed or deleted pages of the source. If left out, the whole source is read.",
    ] = None


class LeftOutText(Model):
    heading: str
    text: str = Field(description="Its beginning.")
    pages: int


class SourceOut(
    Model,
    shows=Source,
    parts="config",
    fields="id agent_id kind name url include exclude max_pages max_depth read_files keep_repeated page_url branch "
    "folder schedule created_at run left_out",
):
    kind: KindName
    left_out: tuple[LeftOutText, ...]


class PageOut(Model, shows=PageStatus, fields="url title status reason document_id chunks fetched_at"): ...


class PagesQuery(ListQuery):
    status: Annotated[str | None, replace(STATUS, is_required=True)] = None


class AdminSources(Api):
    tag = TAG
    _sources: Sources
    _page_sync: PageSync
    _schedules: Schedules

    @post(
        "/v1/agents/{agent_id}/sources",
        "Add a source; sync reads it",
        access=write,
        status=201,
        max_body_bytes=MAX_BODY_BYTES,
    )
    async def create_source(self, call: Call[Actor, SourceCreate]) -> SourceOut:
        config, schedule = call.input.config(), call.input.schedule
        if schedule is not None:
            self._schedules.check(config, schedule.schedule())  # before anything is stored
        source = await self._sources.create(call.caller, call.path_id("agent_id"), config)
        if schedule is not None:
            await self._schedules.set(call.caller, source.id, schedule.schedule())
            source = await self._sources.source(call.caller, source.id)
        return SourceOut.showing(source)

    @get("/v1/agents/{agent_id}/sources", "List an agent's sources, oldest first", access=read)
    async def list_sources(self, call: Call[Actor, ListQuery]) -> ListOut[SourceOut]:
        page = await self._sources.sources(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[SourceOut].showing(page)

    @get("/v1/sources/{source_id}", "Get a source with its latest run and page counts", access=read)
    async def get_source(self, call: Call[Actor, None]) -> SourceOut:
        return SourceOut.showing(await self._sources.source(call.caller, call.path_id("source_id")))

    @post(
        "/v1/sources/{source_id}/sync",
        "Crawl the source, or some of its pages, now",
        access=write,
        is_input_optional=True,
        status=202,
    )
    async def sync_source(self, call: Call[Actor, SyncIn]) -> RunOut:
        source_id, urls = call.path_id("source_id"), call.input.urls
        if urls is None:
            return RunOut.showing(await self._sources.sync(call.caller, source_id))
        return RunOut.showing(await self._page_sync.pages(call.caller, source_id, urls))

    @get(
        "/v1/sources/{source_id}/pages",
        "List the pages of the latest run, each with its status and reason",
        access=read,
    )
    async def list_source_pages(self, call: Call[Actor, PagesQuery]) -> ListOut[PageOut]:
        query = call.input
        page = await self._sources.pages(call.caller, call.path_id("source_id"), query.page, query.status)
        return ListOut[PageOut].showing(page)


class DiscoveryIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"url": "https://www.example.com"}]})

    url: RequiredUrl


class OfferOut(Model, shows=SiteOffer, fields="kind url title pages has_more"):
    kind: KindName


class ProblemOut(Model, shows=SiteProblem, fields="url reason"): ...


class DiscoveryOut(Model, shows=SiteOffers, fields="url title offers problems is_complete"): ...


class AdminDiscovery(Api):
    tag = TAG
    _discovery: Discovery

    @post(
        "/v1/agents/{agent_id}/discover",
        "List what a website offers to crawl; nothing is stored",
        access=write,
        codes=("overloaded",),
    )
    async def discover_sources(self, call: Call[Actor, DiscoveryIn]) -> DiscoveryOut:
        return DiscoveryOut.showing(await self._discovery.look(call.caller, call.path_id("agent_id"), call.input.url))
