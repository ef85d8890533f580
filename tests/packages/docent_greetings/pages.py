from app.web.console.page import Form, Go, Link, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write
from docent_greetings.api import GreetingIn
from docent_greetings.greetings import Greetings


class GreetingForm(GreetingIn, Form):
    pass


class GreetingPages(Pages):
    _greetings: Greetings

    @page(
        "/console/agents/{agent_id}/greetings",
        access=read,
        menu=MenuEntry("Greetings", "Work", 50, "talk"),
        link=Link("gaps", "Greetings", 5),
    )
    async def greetings(self, visit: Visit[NoForm]) -> Shown:
        return Shown("greetings/greetings.html", {})

    @action("/console/agents/{agent_id}/greetings", access=write, shown_on="greetings")
    async def greet(self, visit: Visit[GreetingForm]) -> Go:
        await self._greetings.send(visit.actor, visit.agent.id, visit.input.greeting)
        return Go(visit.url("greetings"), "Sent.")
