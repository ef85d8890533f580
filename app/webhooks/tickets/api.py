"""Admin API: an agent's help desk and the tickets opened there."""

from app.core.actor import Actor
from app.core.errors import NotFound
from app.web.derived_fields import taken
from app.web.operation import Api, Call, ListOut, ListQuery, Model, delete, get, post, put, read, write
from app.webhooks.api import TAG
from app.webhooks.tickets.desk_settings import DeskFields, DeskSettings, DeskToken
from app.webhooks.tickets.help_desks import HelpDesks
from app.webhooks.tickets.records import TicketState

_FIELDS = "kind host account inbox events"


class HelpDeskIn(Model, takes=DeskFields, fields=_FIELDS, adds={"token": taken(DeskToken, "token")}): ...


class HelpDeskOut(Model, shows=DeskSettings, fields=f"{_FIELDS} created_at"): ...


class TicketOut(
    Model, shows=TicketState, fields="id conversation_id number url attempts last_error created_at next_at died_at"
): ...


class AdminHelpDesks(Api):
    tag = TAG
    _desks: HelpDesks

    @get("/v1/agents/{agent_id}/help-desk", "Get the help desk that conversations are handed over to", access=read)
    async def get_help_desk(self, call: Call[Actor, None]) -> HelpDeskOut:
        desk = await self._desks.desk(call.caller, call.path_id("agent_id"))
        if desk is None:
            raise NotFound("help desk")
        return HelpDeskOut.showing(desk)

    @put(
        "/v1/agents/{agent_id}/help-desk",
        "Set the help desk or mailbox that conversations are handed over to",
        access=write,
    )
    async def set_help_desk(self, call: Call[Actor, HelpDeskIn]) -> HelpDeskOut:
        given = call.input
        token = given.made(DeskToken).token
        desk = await self._desks.set(call.caller, call.path_id("agent_id"), given.made(DeskFields), token)
        return HelpDeskOut.showing(desk)

    @delete("/v1/agents/{agent_id}/help-desk", "Remove the help desk and its tickets", access=write)
    async def clear_help_desk(self, call: Call[Actor, None]) -> None:
        await self._desks.clear(call.caller, call.path_id("agent_id"))

    @get("/v1/agents/{agent_id}/tickets", "List tickets, latest first", access=read)
    async def list_tickets(self, call: Call[Actor, ListQuery]) -> ListOut[TicketOut]:
        page = await self._desks.tickets(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[TicketOut].showing(page)

    @post("/v1/agents/{agent_id}/tickets/{ticket_id}/retry", "Retry a ticket that failed for good", access=write)
    async def retry_ticket(self, call: Call[Actor, None]) -> None:
        await self._desks.retry(call.caller, call.path_id("agent_id"), call.path_id("ticket_id"))
