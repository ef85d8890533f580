"""A workspace's first agent, and the page for addresses that do not exist."""

from urllib.parse import urlsplit

from pydantic import Field

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_http_url
from app.sources.kinds import SITE
from app.sources.pages.sources import with_scheme
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from app.web.console.page import Answer, Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, everyone, page, write


class NoPage(Pages):
    @page("/console/{rest:path}", access=everyone)
    async def nothing(self, visit: Visit[NoForm]) -> Answer:
        raise NotFound("page")


class NewAgent(Form):
    name: str = Field(max_length=60)
    website: str = Field(max_length=2048)


class NewAgentPages(Pages):
    def __init__(self, agents: Agents, sources: Sources) -> None:
        self._agents = agents
        self._sources = sources

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
        config = AgentConfig(name=name, allowed_origins=(f"{site.scheme}://{site.netloc}",))
        agent = await self._agents.create(visit.actor, config)
        source = await self._sources.create(visit.actor, agent.id, wanted)
        await self._sources.sync(visit.actor, source.id)
        await self._agents.publish(visit.actor, agent.id)
        return Go(
            visit.url("source", agent_id=agent.id, source_id=source.id),
            f"{agent.draft.name} is live and is reading {site.netloc}.",
        )
