"""A workspace's first agent, and the page for addresses that do not exist."""

from contextlib import suppress
from urllib.parse import urlsplit

from pydantic import Field

from app.agents.agent import AgentConfig
from app.agents.agents import AgentPictures, Agents
from app.agents.widget_settings import Theme
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_http_url
from app.core.source_file import Upload
from app.sources.discovery import SiteDiscovery
from app.sources.kinds import SITE
from app.sources.pages.sources import with_scheme
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from app.web.console.page import Answer, Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, everyone, page, write


class NoPage(Pages):
    @page("/console/{rest:path}", access=everyone)
    async def nothing(self, visit: Visit[NoForm]) -> Answer:
        raise NotFound("page")


_MAX_NAME_CHARS = 60


class NewAgent(Form):
    name: str = Field(default="", max_length=_MAX_NAME_CHARS)
    website: str = Field(max_length=2048)


class NewAgentPages(Pages):
    def __init__(self, agents: Agents, sources: Sources, discovery: SiteDiscovery, pictures: AgentPictures) -> None:
        self._agents = agents
        self._sources = sources
        self._discovery = discovery
        self._pictures = pictures

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
        its = await self._discovery.identity_of(url)
        config = AgentConfig(
            name=name or its.name[:_MAX_NAME_CHARS] or site.hostname[:_MAX_NAME_CHARS],
            allowed_origins=(f"{site.scheme}://{site.netloc}",),
            theme=Theme(primary_color=its.color or None),
        )
        agent = await self._agents.create(visit.actor, config)
        if its.icon:
            with suppress(InvalidInput):  # no picture of a kind that can be drawn
                await self._pictures.set(visit.actor, agent.id, Upload("icon", its.icon))
        source = await self._sources.create(visit.actor, agent.id, wanted)
        await self._sources.sync(visit.actor, source.id)
        await self._agents.publish(visit.actor, agent.id)
        return Go(
            visit.url("source", agent_id=agent.id, source_id=source.id),
            f"{agent.draft.name} is live and is reading {site.netloc}.",
        )
