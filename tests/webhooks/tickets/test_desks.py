"""What each kind of help desk is named by, and what is refused."""

import pytest

from app.core.errors import InvalidInput
from app.core.webhook_event import WebhookEvent
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskKind
from app.webhooks.tickets.desks import DESKS, check_desk
from tests.every_row import every_row

ZENDESK, FRESHDESK = DeskKind.ZENDESK, DeskKind.FRESHDESK
INTERCOM, CHATWOOT = DeskKind.INTERCOM, DeskKind.CHATWOOT


@every_row(
    ("kind", "host", "account", "inbox", "token"),
    [
        (DeskKind.MAIL, "", "help@example.com", "", ""),
        (ZENDESK, "shop.zendesk.com", "ann@example.com", "", "t"),
        (INTERCOM, "api.eu.intercom.io", "12", "", "t"),
        (FRESHDESK, "my-shop.freshdesk.com", "", "", "t"),
        (CHATWOOT, "chat.example.com", "3", "5", "t"),
    ],
)
def test_what_is_whole_is_taken(kind: DeskKind, host: str, account: str, inbox: str, token: str) -> None:
    check_desk(DeskFields(kind, host, account, inbox, HANDED_OVER), token)


def test_each_kind_is_an_entry() -> None:
    assert list(DESKS) == list(DeskKind)


@every_row(
    ("field", "kind", "host", "account", "inbox", "token"),
    [
        ("account", DeskKind.MAIL, "", "nobody", "", ""),
        ("token", DeskKind.MAIL, "", "help@example.com", "", "t"),
        ("host", ZENDESK, "evil.example.com", "ann@example.com", "", "t"),
        ("host", ZENDESK, "shop.zendesk.com.evil.example", "ann@example.com", "", "t"),
        ("host", ZENDESK, "shop.zendesk.com/..", "ann@example.com", "", "t"),
        ("host", ZENDESK, "me@shop.zendesk.com", "ann@example.com", "", "t"),
        ("account", ZENDESK, "shop.zendesk.com", "12", "", "t"),
        ("token", ZENDESK, "shop.zendesk.com", "ann@example.com", "", ""),
        ("token", ZENDESK, "shop.zendesk.com", "ann@example.com", "", "a\nX-Header: b"),
        ("host", INTERCOM, "api.us.intercom.io", "12", "", "t"),
        ("account", INTERCOM, "api.intercom.io", "a type", "", "t"),
        ("host", FRESHDESK, "freshdesk.com", "", "", "t"),
        ("account", FRESHDESK, "shop.freshdesk.com", "1", "", "t"),
        ("host", CHATWOOT, "127.0.0.1", "3", "5", "t"),
        ("host", CHATWOOT, "localhost", "3", "5", "t"),
        ("host", CHATWOOT, "chat.example.com:8080", "3", "5", "t"),
        ("account", CHATWOOT, "chat.example.com", "3/../4", "5", "t"),
        ("inbox", CHATWOOT, "chat.example.com", "3", "", "t"),
    ],
)
def test_what_is_not_names_its_field(
    field: str, kind: DeskKind, host: str, account: str, inbox: str, token: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_desk(DeskFields(kind, host, account, inbox, HANDED_OVER), token)
    assert refused.value.field == field


@pytest.mark.parametrize("events", [(), (WebhookEvent.TURN_FINISHED,)])
def test_it_takes_something_that_is_handed_over(events: tuple[WebhookEvent, ...]) -> None:
    with pytest.raises(InvalidInput, match="events"):
        check_desk(DeskFields(DeskKind.MAIL, "", "help@example.com", "", events), "")
