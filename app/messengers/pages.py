"""Console page: an agent in Slack and Discord."""

from app.messengers.api import MessengerIn, hook_path
from app.messengers.messenger import MessengerKeys, MessengerKind
from app.messengers.messengers import SERVICES, Messengers
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.middleware.public_url import base_url_of

_PATH = "/console/agents/{agent_id}/messengers"


class MessengerWanted(Form):
    kind: MessengerKind = MessengerKind.SLACK


class MessengerForm(MessengerIn, Form): ...


class MessengerPages(Pages):
    _messengers: Messengers

    @page(_PATH, access=read, menu=MenuEntry("Slack and Discord", "Set-up", 2, "talk"))
    async def messengers(self, visit: Visit[MessengerWanted]) -> Shown:
        found = await self._messengers.messengers(visit.actor, visit.agent.id)
        base = base_url_of(visit.request)
        context = {
            "connected": {each.kind: each for each in found},
            "services": SERVICES,
            "wanted": visit.input.kind,
            "hooks": {kind: hook_path(base, visit.agent.id, kind) for kind in SERVICES},
        }
        return Shown("messengers/messengers.html", context)

    @action(_PATH, access=write, shown_on="messengers")
    async def set_messenger(self, visit: Visit[MessengerForm]) -> Go:
        given = visit.input
        await self._messengers.set(visit.actor, visit.agent.id, given.kind, given.made(MessengerKeys))
        return Go(visit.url("messengers", {"kind": given.kind}), f"{SERVICES[given.kind].name} connected.")

    @action(_PATH + "/{messenger_id}/clear", access=write, under="messengers")
    async def clear_messenger(self, visit: Visit[NoForm]) -> Go:
        await self._messengers.clear(visit.actor, visit.agent.id, visit.path_id("messenger_id"))
        return Go(visit.url("messengers"), "Disconnected.")
