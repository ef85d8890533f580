"""Console pages: the help desk that conversations are handed over to, and its tickets."""

from dataclasses import replace
from typing import Final

from app.core.webhook_event import WebhookEvent
from app.mail.mailer import Mailer
from app.web.console.page import Form, Go, ListWanted, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write
from app.webhooks.notice import noticed
from app.webhooks.tickets.api import HelpDeskIn
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskKind, DeskToken
from app.webhooks.tickets.desks import DESKS
from app.webhooks.tickets.help_desks import HelpDesks

_SHOWN: Final = 30


class HelpDeskWanted(ListWanted):
    kind: DeskKind | None = None


class HelpDeskForm(HelpDeskIn, Form):
    kind: DeskKind
    events: tuple[WebhookEvent, ...] = ()


class HelpDeskPages(Pages):
    _desks: HelpDesks
    _mailer: Mailer

    @page("/console/agents/{agent_id}/help-desk", access=read, menu=MenuEntry("Help desk", "Set-up", 2, "desk"))
    async def help_desk(self, visit: Visit[HelpDeskWanted]) -> Shown:
        context = {
            "desk": await self._desks.desk(visit.actor, visit.agent.id),
            "tickets": await self._desks.tickets(visit.actor, visit.agent.id, visit.input.part(_SHOWN)),
            "cursor": visit.input.cursor,
            "desks": DESKS,
            "wanted": visit.input,
            "events": {event: noticed()[event] for event in HANDED_OVER},
            "has_mail": self._mailer.is_on,
        }
        return Shown("webhooks/tickets/help_desk.html", context)

    @action("/console/agents/{agent_id}/help-desk", access=write, shown_on="help_desk")
    async def set_help_desk(self, visit: Visit[HelpDeskForm]) -> Go:
        given = visit.input
        fields = given.made(DeskFields)
        named = {name: getattr(fields, name).strip() for name in ("host", "account", "inbox")}
        await self._desks.set(
            visit.actor, visit.agent.id, replace(fields, **named), given.made(DeskToken).token.strip()
        )
        return Go(visit.url("help_desk"), "Help desk saved. New requests go there.")

    @action("/console/agents/{agent_id}/help-desk/clear", access=write, under="help_desk")
    async def clear_help_desk(self, visit: Visit[NoForm]) -> Go:
        await self._desks.clear(visit.actor, visit.agent.id)
        return Go(visit.url("help_desk"), "Help desk disconnected.")

    @action("/console/agents/{agent_id}/tickets/{ticket_id}/retry", access=write, under="help_desk")
    async def retry_ticket(self, visit: Visit[NoForm]) -> Go:
        await self._desks.retry(visit.actor, visit.agent.id, visit.path_id("ticket_id"))
        return Go(visit.url("help_desk"), "Queued to be sent again.")
