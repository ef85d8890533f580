"""A new agent from the address of a website: made, given the site to read, live."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from pydantic import Field

from app.domain.agent import AgentConfig
from app.domain.errors import InvalidInput
from app.domain.source import SourceConfig, SourceKind
from app.operating.actor import WRITE
from app.operating.field_rules import check_http_url
from app.web.console.page import AnyPage, ConsolePage, Form, Go, MenuEntry, NoForm, Shown, Visit
from app.web.console.pages.sources import with_scheme
from app.web.services import WebServices

_PATH: Final = "/console/new-agent"


class NewAgent(Form):
    name: str = Field(max_length=60)
    website: str = Field(max_length=2048)


class NewAgentPages:
    def __init__(self, services: WebServices) -> None:
        self._agents = services.agents
        self._sources = services.sources

    def pages(self) -> Sequence[AnyPage]:
        return (
            ConsolePage("GET", _PATH, "new_agent", WRITE, self.ask, menu=MenuEntry("New agent", 5, "plus")),
            ConsolePage("POST", _PATH, "make_agent", WRITE, self.make, form=NewAgent, shown_on="new_agent"),
        )

    async def ask(self, visit: Visit[NoForm]) -> Shown:
        return Shown("new_agent.html")

    async def make(self, visit: Visit[NewAgent]) -> Go:
        name, url = visit.given.name, with_scheme(visit.given.website)
        check_http_url("website", url)
        site = urlsplit(url)
        if not site.hostname:
            raise InvalidInput("website", "Name the website, such as https://www.example.com/.")
        wanted = SourceConfig(SourceKind.SITE, site.netloc, url)
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
            f"{agent.draft.name} is live and reads {site.netloc} now.",
        )
