"""Console pages: the help desk that conversations are handed over to, and its tickets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.webhook_event import WebhookEvent
from app.mail.mailer import Mailer
from app.web.console.page import Form, Go, ListWanted, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write
from app.webhooks.notices.notice import NOTICED
from app.webhooks.tickets.api import HelpDeskIn
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskKind
from app.webhooks.tickets.help_desks import HelpDesks

_SHOWN: Final = 30


@dataclass(frozen=True, slots=True)
class DeskForm:
    """What the form of a help desk asks for: `fields` are (name, label, hint, example). Those of Intercom's `regions`
    are (host, name). `token` is the vendor's word for it, "" for none."""

    kind: DeskKind
    name: str
    about: str
    fields: Sequence[tuple[str, str, str, str]]
    token: str = ""
    regions: Sequence[tuple[str, str]] = ()


_DESKS: Final = (
    DeskForm(
        DeskKind.MAIL,
        "Mail",
        "One letter for each request.",
        [("account", "E-mail address", "Of the mailbox that your team reads.", "help@example.com")],
    ),
    DeskForm(
        DeskKind.ZENDESK,
        "Zendesk",
        "A ticket for each request.",
        [
            ("host", "Zendesk address", "", "shop.zendesk.com"),
            ("account", "Agent's e-mail address", "The agent who created the API token.", "ann@example.com"),
        ],
        "API token",
    ),
    DeskForm(
        DeskKind.INTERCOM,
        "Intercom",
        "A ticket for each request.",
        [("account", "Ticket type id", "In Intercom: Settings, Tickets, the type.", "1234567")],
        "Access token",
        [
            ("api.intercom.io", "United States"),
            ("api.eu.intercom.io", "European Union"),
            ("api.au.intercom.io", "Australia"),
        ],
    ),
    DeskForm(
        DeskKind.FRESHDESK,
        "Freshdesk",
        "A ticket for each request.",
        [("host", "Freshdesk address", "", "shop.freshdesk.com")],
        "API key",
    ),
    DeskForm(
        DeskKind.CHATWOOT,
        "Chatwoot",
        "A conversation for each request.",
        [
            ("host", "Chatwoot address", "", "app.chatwoot.com"),
            ("account", "Account number", "In the address of your dashboard: /app/accounts/1.", "1"),
            ("inbox", "Inbox number", "In the address of the inbox's settings.", "5"),
        ],
        "Access token",
    ),
)


class HelpDeskWanted(ListWanted):
    kind: DeskKind | None = None


class HelpDeskForm(HelpDeskIn, Form):
    kind: DeskKind
    events: tuple[WebhookEvent, ...] = ()


class HelpDeskPages(Pages):
    def __init__(self, desks: HelpDesks, mailer: Mailer) -> None:
        self._desks = desks
        self._mailer = mailer

    @page("/console/agents/{agent_id}/help-desk", access=read, menu=MenuEntry("Help desk", "Set-up", 2, "desk"))
    async def help_desk(self, visit: Visit[HelpDeskWanted]) -> Shown:
        told = {
            "desk": await self._desks.of_agent(visit.actor, visit.agent.id),
            "tickets": await self._desks.tickets(visit.actor, visit.agent.id, visit.input.part(_SHOWN)),
            "cursor": visit.input.cursor,
            "desks": _DESKS,
            "wanted": visit.input,
            "events": {event: NOTICED[event] for event in HANDED_OVER},
            "has_mail": self._mailer.is_on,
        }
        return Shown("webhooks/tickets/help_desk.html", told)

    @action("/console/agents/{agent_id}/help-desk", access=write, shown_on="help_desk")
    async def set_help_desk(self, visit: Visit[HelpDeskForm]) -> Go:
        given = visit.input
        fields = DeskFields(given.kind, given.host.strip(), given.account.strip(), given.inbox.strip(), given.events)
        await self._desks.set(visit.actor, visit.agent.id, fields, given.token.strip())
        return Go(visit.url("help_desk"), "Help desk saved. New requests go there.")

    @action("/console/agents/{agent_id}/help-desk/clear", access=write, under="help_desk")
    async def clear_help_desk(self, visit: Visit[NoForm]) -> Go:
        await self._desks.clear(visit.actor, visit.agent.id)
        return Go(visit.url("help_desk"), "Help desk disconnected.")

    @action("/console/agents/{agent_id}/tickets/{ticket_id}/retry", access=write, under="help_desk")
    async def retry_ticket(self, visit: Visit[NoForm]) -> Go:
        await self._desks.retry(visit.actor, visit.agent.id, visit.path_id("ticket_id"))
        return Go(visit.url("help_desk"), "Queued to be sent again.")
