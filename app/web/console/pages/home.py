"""Where the console begins, and where what is not there ends."""

from collections.abc import Sequence

from app.domain.errors import NotFound
from app.domain.list_page import PageRequest
from app.operating.actor import READ
from app.web.console.menu import menu_of
from app.web.console.page import HOME, Answer, AnyPage, ConsolePage, Go, NoForm, Shown, Visit
from app.web.services import WebServices


class HomePages:
    def __init__(self, services: WebServices) -> None:
        self._agents = services.agents

    def pages(self) -> Sequence[AnyPage]:
        return (
            ConsolePage("GET", HOME, "home", READ, self.home),
            ConsolePage("GET", "/console/{rest:path}", "nothing", None, self.nothing),
        )

    async def home(self, visit: Visit[NoForm]) -> Answer:
        """The first page of the first agent."""
        agents = (await self._agents.page(visit.actor, PageRequest(limit=1))).items
        of_agent = [item for item in menu_of(visit, agents) if item.is_of_agent]
        return Go(of_agent[0].url) if of_agent else Shown("home.html")

    async def nothing(self, visit: Visit[NoForm]) -> Answer:
        raise NotFound("page")
