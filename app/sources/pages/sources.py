"""The console's pages for an agent's sources: websites and texts, their readings, and the outcome of each page. Before
them, the page of a workspace's first agent, and the one for addresses that do not exist."""

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import Field

from app.agents.agent import Agent, AgentConfig
from app.agents.agents import AgentPictures, Agents
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_http_url
from app.core.list_page import PageRequest
from app.core.source_file import ACCEPTED, EXTENSIONS, Upload
from app.knowledge.passages import Passages
from app.knowledge.quarantine import quarantined_pages
from app.knowledge.unread_languages import UnreadLanguages
from app.sources.api.sources import KindName
from app.sources.discovery import Discovery, SiteDiscovery
from app.sources.files.source_files import SourceFiles
from app.sources.kinds import KINDS, SITE, TEXT, ZENDESK
from app.sources.listed.document_list import ListedKind
from app.sources.runs.run_progress import run_progress
from app.sources.source import ENDED_STATES, MAX_NAME_CHARS, STATUS, CrawlRun, RunState, Source, SourceConfig
from app.sources.source_editing import SourceEditing, origin_of, with_own_address
from app.sources.sources import Sources
from app.web.console.page import (
    Answer,
    Form,
    Go,
    MenuEntry,
    NoForm,
    Pages,
    Shown,
    Visit,
    action,
    everyone,
    page,
    read,
    write,
)
from app.web.file_export import public_path
from app.web.middleware.public_url import base_url_of
from app.web.model import Cursor, Url


class NoPage(Pages):
    @page("/console/{rest:path}", access=everyone)
    async def nothing(self, visit: Visit[NoForm]) -> Answer:
        raise NotFound("page")


_MAX_NAME_CHARS = 60


class NewAgent(Form):
    name: str = Field(default="", max_length=_MAX_NAME_CHARS)
    website: Url


class NewAgentPages(Pages):
    _agents: Agents
    _sources: Sources
    _editing: SourceEditing
    _discovery: SiteDiscovery
    _pictures: AgentPictures

    @page("/console/new-agent", access=write, menu=MenuEntry("New agent", "Set-up", 4, "plus"))
    async def new_agent(self, visit: Visit[NoForm]) -> Shown:
        return Shown("sources/pages/new_agent.html")

    @action("/console/new-agent", access=write, shown_on="new_agent")
    async def make_agent(self, visit: Visit[NewAgent]) -> Go:
        name, url = visit.input.name, with_scheme(visit.input.website)
        check_http_url("website", url)
        site = urlsplit(url)
        if not site.hostname:
            raise InvalidInput("website", "Enter the website's address, such as https://www.example.com/.")
        wanted = SourceConfig(SITE, site.netloc, url)
        try:
            self._sources.check(wanted)
        except InvalidInput as error:
            raise InvalidInput("website", str(error).removeprefix("url: ")) from None
        host = site.hostname[:_MAX_NAME_CHARS]
        config = AgentConfig(name=name or host, allowed_origins=(f"{site.scheme}://{site.netloc}",))
        agent = await self._wear_look(visit.actor, await self._agents.create(visit.actor, config), url)
        source = await self._sources.create(visit.actor, agent.id, wanted)
        await self._sources.sync(visit.actor, source.id)
        await self._agents.publish(visit.actor, agent.id)
        return Go(
            visit.url("source", agent_id=agent.id, source_id=source.id),
            f"{agent.draft.name} is live. The reading of {site.netloc} has begun.",
        )

    @action("/console/agents/{agent_id}/sources/{source_id}/without-tls", access=write, shown_on="source")
    async def read_without_tls(self, visit: Visit[NoForm]) -> Go:
        """From http:// instead of https://, for a website that has no TLS. If the agent allows the website, this moves
        as well, and its look is read; published at once, unless the draft has other changes."""
        source = await own_source(self._sources, visit)
        url = _without_tls(source.config.url) or source.config.url
        await self._editing.change(visit.actor, source.id, lambda config: replace(config, url=url))
        await self._sources.sync(visit.actor, source.id)
        before, origin = visit.agent.draft, origin_of(source.config.url)
        if origin in before.allowed_origins and url != source.config.url:

            def change(config: AgentConfig) -> AgentConfig:
                origins = (_without_tls(each) if each == origin else each for each in config.allowed_origins)
                return replace(config, allowed_origins=tuple(dict.fromkeys(origins)))

            agent = await self._agents.change_draft(visit.actor, visit.agent.id, change)
            await self._wear_look(visit.actor, agent, url)
            if agent.live_version and (await self._agents.live(agent.id)).config == before:
                await self._agents.publish(visit.actor, agent.id)
        return Go(visit.url("source", source_id=source.id), "Address changed. Reading started.")

    async def _wear_look(self, actor: Actor, agent: Agent, url: str) -> Agent:
        """Give the draft the name, colour, icon and language of the website at `url`, where it has none of its own. It
        gets no "en": without a language, pages are searched as English, and answers are in the visitor's."""
        its, host = await self._discovery.identity_of(url), (urlsplit(url).hostname or "")[:_MAX_NAME_CHARS]

        def change(draft: AgentConfig) -> AgentConfig:
            name = its.name[:_MAX_NAME_CHARS] if draft.name == host else ""
            color = draft.theme.primary_color or its.color or None
            language = draft.language or (None if its.language in ("", "en") else its.language)
            theme = replace(draft.theme, primary_color=color)
            return replace(draft, name=name or draft.name, language=language, theme=theme)

        if change(agent.draft) != agent.draft:
            agent = await self._agents.change_draft(actor, agent.id, change)
        if its.icon and agent.draft.theme.picture is None:
            with suppress(InvalidInput):  # no picture of a kind that can be drawn
                agent = await self._pictures.set(actor, agent.id, Upload("icon", its.icon))
        return agent


async def own_source(sources: Sources, visit: Visit[Form]) -> Source:
    """If it belongs to the path's agent. Raises NotFound."""
    source = await sources.source(visit.actor, visit.path_id("source_id"))
    if source.agent_id != visit.agent.id:
        raise NotFound("source")
    return source


# For file fields: the types that browsers offer, and their description.
_FILES: Final = {"accept": ",".join(f".{each}" for each in EXTENSIONS), "accepted": ACCEPTED}
_LISTED: Final = [kind for kind in KINDS if isinstance(kind, ListedKind)]
_MANY: Final = PageRequest(limit=200)
_STATE_TONES: Final = {
    RunState.QUEUED: "plain",
    RunState.RUNNING: "accent",
    RunState.PAUSED: "warn",
    RunState.FINISHED: "good",
    RunState.FAILED: "bad",
    RunState.CANCELLED: "warn",
}
# The console's buttons and notices speak of stopping.
_STATE_WORDS: Final = {state: state.value for state in RunState} | {RunState.CANCELLED: "stopped"}
# For pages: with any other status, there was nothing to learn from.
_PAGE_TONES: Final = {"queued": "plain", "indexed": "good", "unchanged": "good", "duplicate": "plain"}


def state_tone(run: CrawlRun) -> str:
    """Red only where nothing is left to answer from."""
    return "warn" if run.kept_pages else _STATE_TONES[run.state]


class Look(Form):
    look: Url = ""


class SourcesWanted(Form):
    """`title` is the name of a text to be added."""

    title: str = ""


class NewSource(Form, takes=SourceConfig, fields="kind name url text include exclude"):
    kind: KindName = Field(default_factory=lambda: TEXT)
    name: str = ""
    url: Url = ""

    def config(self) -> SourceConfig:
        name = self.name or self.url.removeprefix("https://").removeprefix("http://").strip("/") or "Text"
        return self.made(SourceConfig, name=name[:MAX_NAME_CHARS])


class NewHelpCentre(Form):
    kind: KindName = Field(default_factory=lambda: ZENDESK)
    url: Url = ""

    def config(self) -> SourceConfig:
        """Raises InvalidInput."""
        if self.kind not in _LISTED:
            raise InvalidInput("kind", "Choose one of the types.")
        url = with_scheme(self.url)
        return SourceConfig(self.kind, url.partition("://")[2].strip("/")[:MAX_NAME_CHARS] or url, url)


class EditedSource(
    Form,
    takes=SourceConfig,
    fields="name text url include exclude max_pages max_depth read_files keep_repeated page_url branch folder "
    "is_public",
):
    def applied(self, config: SourceConfig) -> SourceConfig:
        blank = {"text", "max_pages", "max_depth"} - self.model_fields_set  # these keep their values
        sent = {name: getattr(self, name) for name in {"name", *config.kind.fields} - blank}
        if not config.kind.is_given and "url" in sent:
            sent["url"] = with_scheme(sent["url"]) or config.url
        return replace(config, **sent)


class PageList(Form):
    status: Annotated[str, STATUS] = ""
    cursor: Cursor = ""


class SourcePages(Pages):
    _sources: Sources
    _unread: UnreadLanguages
    _editing: SourceEditing
    _discovery: Discovery
    _files: SourceFiles
    _passages: Passages

    @page(
        "/console/agents/{agent_id}/sources",
        access=read,
        menu=MenuEntry("Sources", "Knowledge", 0, "source"),
        waiting=quarantined_pages,
    )
    async def sources(self, visit: Visit[SourcesWanted]) -> Shown:
        found = await self._sources.sources(visit.actor, visit.agent.id, _MANY)
        rows = [(source, source.run and run_progress(source.run, visit.now)) for source in found.items]
        title = " ".join(visit.input.title.split())[:MAX_NAME_CHARS]
        unread = await self._unread.languages(visit.actor, visit.agent.id)
        context = {
            "rows": rows,
            "unread": unread,
            "state_tone": state_tone,
            "state_words": _STATE_WORDS,
            "most": self._files.max_bytes,
            "listed_kinds": [(kind.value, " · ".join(filter(None, (kind.label, kind.address)))) for kind in _LISTED],
        }
        return Shown("sources/pages/sources.html", context | _FILES | {"title": title})

    @action("/console/agents/{agent_id}/sources/look", access=write, shown_on="sources")
    async def look_at_site(self, visit: Visit[Look]) -> Shown:
        """What a website offers, each to be added with one click. A separate page, because nothing was changed."""
        offers = await self._discovery.look(visit.actor, visit.agent.id, with_scheme(visit.input.look))
        return Shown("sources/pages/site_offers.html", {"offers": offers})

    @action("/console/agents/{agent_id}/sources", access=write, shown_on="sources")
    async def add_source(self, visit: Visit[NewSource]) -> Go:
        source = await self._sources.create(visit.actor, visit.agent.id, visit.input.config())
        await self._sources.sync(visit.actor, source.id)
        return Go(visit.url("source", source_id=source.id), f"Docent is reading {source.config.name}.")

    @action("/console/agents/{agent_id}/sources/help-centre", access=write, shown_on="sources")
    async def add_help_centre(self, visit: Visit[NewHelpCentre]) -> Go:
        """Not read at once, because some need a token first."""
        source = await self._sources.create(visit.actor, visit.agent.id, visit.input.config())
        to = visit.url("source_upkeep", source_id=source.id)
        return Go(to, "Source added. Set credentials if its API requires them, and a schedule. Then choose Read now.")

    @page("/console/agents/{agent_id}/sources/{source_id}", access=read, under="sources")
    async def source(self, visit: Visit[PageList]) -> Shown:
        source = await own_source(self._sources, visit)
        status, cursor = visit.input.status or None, visit.input.cursor or None
        pages = await self._sources.pages(visit.actor, source.id, PageRequest(50, cursor), status)
        run = source.run
        kind = source.config.kind
        can_move = "url" in kind.fields and not kind.is_given
        return Shown(
            "sources/pages/source.html",
            {
                **_FILES,
                "source": source,
                "file": (await self._files.file(visit.actor, source.id)).facts if kind.has_file else None,
                "most": self._files.max_bytes,
                "run": run,
                "progress": run and run_progress(run, visit.now),
                "kind": kind,
                "can_move": can_move,
                "without_tls": _without_tls(source.config.url) if can_move else "",
                "is_running": run is not None and run.state not in ENDED_STATES,
                "pages": pages.items,
                "status": visit.input.status,
                "here": visit.url("source", visit.input.model_dump(exclude_defaults=True), source_id=source.id),
                "older": pages.next_cursor
                and visit.url(
                    "source", {"status": visit.input.status, "cursor": pages.next_cursor}, source_id=source.id
                ),
                "state_tone": state_tone,
                "state_words": _STATE_WORDS,
                "page_tones": _PAGE_TONES,
            },
        )

    @action("/console/agents/{agent_id}/sources/{source_id}/read", access=write, shown_on="source")
    async def read_source(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        await self._sources.sync(visit.actor, source.id)
        return Go(visit.url("source", source_id=source.id), "Reading started.")

    @action("/console/agents/{agent_id}/sources/{source_id}/pause", access=write, shown_on="source")
    async def pause_source(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        await self._sources.pause(visit.actor, source.id)
        return Go(visit.url("source", source_id=source.id), "Reading paused. Choose Resume to continue.")

    @action("/console/agents/{agent_id}/sources/{source_id}/cancel", access=write, shown_on="source")
    async def cancel_source(self, visit: Visit[NoForm]) -> Go:
        source = await own_source(self._sources, visit)
        await self._sources.cancel(visit.actor, source.id)
        return Go(visit.url("source", source_id=source.id), "Reading stopped. Pages already read stay.")

    @action("/console/agents/{agent_id}/sources/{source_id}/edit", access=write, shown_on="source")
    async def edit_source(self, visit: Visit[EditedSource]) -> Go:
        source = await own_source(self._sources, visit)
        own_address = f"{base_url_of(visit.request)}{public_path(source.id)}"
        await self._editing.change(
            visit.actor, source.id, lambda config: with_own_address(visit.input.applied(config), own_address)
        )
        await self._sources.sync(visit.actor, source.id)
        return Go(visit.url("source", source_id=source.id), "Saved. Reading started.")

    @page("/console/agents/{agent_id}/sources/{source_id}/pages/{document_id}", access=read, under="sources")
    async def learnt_page(self, visit: Visit[NoForm]) -> Shown:
        """One page as search and the model see it."""
        source = await own_source(self._sources, visit)
        passages = await self._passages.of_document(visit.actor, visit.path_id("document_id"))
        if any(passage.agent_id != visit.agent.id for passage in passages):
            raise NotFound("document")
        return Shown("sources/pages/learnt_page.html", {"source": source, "passages": passages})


def with_scheme(address: str) -> str:
    """Completes what people type: "example.com" is a website."""
    address = address.strip()
    return address if not address or "://" in address else f"https://{address}"


def _without_tls(address: str) -> str:
    """The same by http://; "" if it does not begin with https://."""
    scheme, is_tls, rest = address.strip().partition("https://")
    return f"http://{rest}" if is_tls and not scheme else ""
