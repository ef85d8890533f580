"""Admin API: an agent's help desk and the tickets opened there."""

from typing import Annotated

from pydantic import Field

from app.core.actor import Actor
from app.core.errors import NotFound
from app.core.webhook_event import WebhookEvent
from app.web.derived_fields import taken
from app.web.operation import Api, Call, ListOut, ListQuery, Model, delete, get, post, put, read, write
from app.webhooks.api import TAG
from app.webhooks.tickets.desk_settings import (
    HANDED_OVER,
    MAX_FIELD_CHARS,
    DeskFields,
    DeskKind,
    DeskSettings,
    DeskToken,
)
from app.webhooks.tickets.help_desks import HelpDesks
from app.webhooks.tickets.records import TicketState

_HOST = "Of Zendesk, Intercom, Freshdesk or Chatwoot, such as shop.zendesk.com."
_ACCOUNT = (
    "The address for mail, the address of an agent at Zendesk, the id of a type of tickets at Intercom, "
    "or the number of an account of Chatwoot."
)


class HelpDeskIn(Model, adds={"token": taken(DeskToken, "token")}):
    kind: DeskKind = DeskKind.MAIL
    host: str = Field(default="", max_length=MAX_FIELD_CHARS, description=_HOST)
    account: str = Field(default="", max_length=MAX_FIELD_CHARS, description=_ACCOUNT)
    inbox: str = Field(
        default="", max_length=MAX_FIELD_CHARS, description="For Chatwoot: the inbox in which conversations are opened."
    )
    events: Annotated[tuple[WebhookEvent, ...], Field(min_length=1, max_length=10)] = HANDED_OVER


class HelpDeskOut(Model, shows=DeskSettings, fields="kind host account inbox events created_at"): ...


class TicketOut(
    Model, shows=TicketState, fields="id conversation_id number url attempts last_error created_at next_at died_at"
): ...


class AdminHelpDesks(Api):
    tag = TAG

    def __init__(self, desks: HelpDesks) -> None:
        self._desks = desks

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
        fields = DeskFields(given.kind, given.host, given.account, given.inbox, given.events)
        desk = await self._desks.set(call.caller, call.path_id("agent_id"), fields, given.made(DeskToken).token)
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
