"""Each help desk opens a ticket with what was said, for visitors with an address and without."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.providers.help_desk import (
    ChatwootHelpDesk,
    FreshdeskHelpDesk,
    HelpDesk,
    IntercomHelpDesk,
    Ticket,
    TicketRefused,
    ZendeskHelpDesk,
)
from tests.doubles.help_desk_services import HelpDeskServices
from tests.every_row import every_row

Opens = Callable[[HelpDeskServices, str], HelpDesk]
TEXT = "Visitor: Do you ship to <Malta>?\nShop: I do not know.\n[1] Shipping https://www.example.com/shipping"
TICKET = Ticket(UUID(int=1), "Shop: Do you ship to <Malta>?", TEXT, UUID(int=2), "Ann", "ann@example.com")
NOBODY = replace(TICKET, name="", email="")
DESKS: dict[str, Opens] = {
    "shop.zendesk.com": lambda services, secret: ZendeskHelpDesk(
        services, "https://shop.zendesk.com", "agent@example.com", secret
    ),
    "shop.freshdesk.com": lambda services, secret: FreshdeskHelpDesk(services, "https://shop.freshdesk.com", secret),
    "api.intercom.io": lambda services, secret: IntercomHelpDesk(services, "https://api.intercom.io", "77", secret),
    "chat.example.com": lambda services, secret: ChatwootHelpDesk(
        services, "https://chat.example.com", "3", "5", secret
    ),
}


def said(ticket: dict[str, Any]) -> str:
    """What people there read first."""
    if "messages" in ticket:
        [note] = ticket["messages"]
        assert note["private"], "else Chatwoot sends it to the visitor"
        return str(note["content"])
    told = ticket.get("comment", {}).get("body") or ticket.get("description")
    return str(told or ticket["ticket_attributes"]["_default_description_"])


@every_row("host", DESKS)
@every_row("ticket", [TICKET, NOBODY], ids=["with an address", "without"])
async def test_a_ticket_holds_what_was_said_and_whose_it_is(host: str, ticket: Ticket) -> None:
    services = HelpDeskServices()
    receipt = await DESKS[host](services, "right").open(ticket)
    [opened] = services.tickets[host]
    assert receipt.number == "101"
    assert host in receipt.url or host == "api.intercom.io"
    shown = said(opened).replace("<br>", "\n").replace("&lt;", "<").replace("&gt;", ">")
    assert shown.endswith(TEXT)
    assert "ann@example.com" in str((opened, services.contacts)) or not ticket.email


async def test_what_visitors_write_is_no_html_on_freshdesk() -> None:
    services = HelpDeskServices()
    await DESKS["shop.freshdesk.com"](services, "right").open(TICKET)
    [opened] = services.tickets["shop.freshdesk.com"]
    assert "<Malta>" not in opened["description"]


async def test_on_zendesk_what_comes_again_is_the_same_ticket() -> None:
    services = HelpDeskServices()
    desk = DESKS["shop.zendesk.com"](services, "right")
    assert await desk.open(TICKET) == await desk.open(TICKET)
    assert len(services.tickets["shop.zendesk.com"]) == 1


async def test_a_contact_that_chatwoot_knows_is_not_made_again() -> None:
    services = HelpDeskServices()
    desk = DESKS["chat.example.com"](services, "right")
    for ticket in (NOBODY, NOBODY, TICKET, TICKET, replace(TICKET, visitor_id=UUID(int=9), email="bo@example.com")):
        await desk.open(ticket)
    assert len(services.contacts) == 2
    assert len(services.tickets["chat.example.com"]) == 5


@every_row("host", DESKS)
async def test_a_secret_that_does_not_hold_can_be_mended_and_is_not_repeated(host: str) -> None:
    with pytest.raises(TicketRefused, match="401") as refused:
        await DESKS[host](HelpDeskServices(), "wrong-secret").open(TICKET)
    assert not refused.value.is_final
    assert "wrong-secret" not in str(refused.value)


@every_row("host", DESKS)
@every_row(("status", "is_final"), [(422, True), (429, False), (500, False)])
async def test_only_a_ticket_that_is_wrong_itself_is_given_up(host: str, status: int, is_final: bool) -> None:
    with pytest.raises(TicketRefused, match=str(status)) as refused:
        await DESKS[host](HelpDeskServices(statuses=[status]), "right").open(TICKET)
    assert refused.value.is_final is is_final


@every_row("host", DESKS)
async def test_a_service_that_is_away_is_asked_again(host: str) -> None:
    with pytest.raises(TicketRefused, match="nobody answers") as refused:
        await DESKS[host](HelpDeskServices(is_away=True), "right").open(TICKET)
    assert not refused.value.is_final
