"""The supported help desks: which fields each needs, how these are checked, and how tickets are opened."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from app.core.errors import InvalidInput
from app.mail.mail import checked_mail_address
from app.providers.help_desk import ChatwootHelpDesk, FreshdeskHelpDesk, HelpDesk, IntercomHelpDesk, ZendeskHelpDesk
from app.providers.http_caller import HttpCaller
from app.webhooks.tickets.desk_settings import HANDED_OVER, MAX_FIELD_CHARS, TOKEN, DeskFields, DeskKind

_BLANK: Final = "Leave this blank for this type."
_PART: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PUBLIC_HOST: Final = re.compile(rf"(?:{_PART}\.){{1,8}}[a-z]{{2,24}}")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")


class DeskField(NamedTuple):
    """A field of DeskFields that a help desk needs. `label`, `hint` and `example` are for the form. The value matches
    `written`; if that is None, it is a mail address. `choices` has pairs of (value, label)."""

    name: str
    label: str
    hint: str
    example: str
    written: re.Pattern[str] | None = None
    choices: Sequence[tuple[str, str]] = ()

    def check(self, text: str) -> None:
        """Raises InvalidInput."""
        if self.written is None:
            checked_mail_address(self.name, text)
        elif len(text) > MAX_FIELD_CHARS or not self.written.fullmatch(text):
            what = "a number" if self.written is _NUMBER else "only the host"
            raise InvalidInput(self.name, f"Enter {what}, such as {self.example}.")


class Desk(NamedTuple):
    """`token` is the vendor's name for the token. `opened` makes the client from a caller, the fields and the token;
    None if tickets are sent as mails."""

    name: str
    about: str
    fields: Sequence[DeskField]
    token: str = ""
    opened: Callable[[HttpCaller, DeskFields, str], HelpDesk] | None = None


_REGIONS: Final = [
    ("api.intercom.io", "United States"),
    ("api.eu.intercom.io", "European Union"),
    ("api.au.intercom.io", "Australia"),
]
DESKS: Final = {
    DeskKind.MAIL: Desk(
        "Mail",
        "One letter for each request.",
        [DeskField("account", "E-mail address", "Of the mailbox that your team reads.", "help@example.com")],
    ),
    DeskKind.ZENDESK: Desk(
        "Zendesk",
        "A ticket for each request.",
        [
            DeskField("host", "Zendesk address", "", "shop.zendesk.com", re.compile(rf"{_PART}\.zendesk\.com")),
            DeskField("account", "Agent's e-mail address", "Who created the API token.", "ann@example.com"),
        ],
        "API token",
        lambda caller, desk, token: ZendeskHelpDesk(caller, desk.origin, desk.account, token),
    ),
    DeskKind.INTERCOM: Desk(
        "Intercom",
        "A ticket for each request.",
        [
            DeskField("host", "Region", "", _REGIONS[0][0], re.compile(r"api(?:\.eu|\.au)?\.intercom\.io"), _REGIONS),
            DeskField("account", "Ticket type id", "In Intercom: Settings, Tickets, the type.", "1234567", _NUMBER),
        ],
        "Access token",
        lambda caller, desk, token: IntercomHelpDesk(caller, desk.origin, desk.account, token),
    ),
    DeskKind.FRESHDESK: Desk(
        "Freshdesk",
        "A ticket for each request.",
        [DeskField("host", "Freshdesk address", "", "shop.freshdesk.com", re.compile(rf"{_PART}\.freshdesk\.com"))],
        "API key",
        lambda caller, desk, token: FreshdeskHelpDesk(caller, desk.origin, token),
    ),
    DeskKind.CHATWOOT: Desk(  # self-hosted, so any public host
        "Chatwoot",
        "A conversation for each request.",
        [
            DeskField("host", "Chatwoot address", "", "app.chatwoot.com", _PUBLIC_HOST),
            DeskField("account", "Account number", "In your dashboard's address: /app/accounts/1.", "1", _NUMBER),
            DeskField("inbox", "Inbox number", "In the address of the inbox's settings.", "5", _NUMBER),
        ],
        "Access token",
        lambda caller, desk, token: ChatwootHelpDesk(caller, desk.origin, desk.account, desk.inbox, token),
    ),
}


def check_desk(desk: DeskFields, token: str) -> None:
    """Raises InvalidInput with the field."""
    if not desk.events or not set(desk.events) <= set(HANDED_OVER):
        raise InvalidInput("events", f"Choose at least one of {', '.join(HANDED_OVER)}.")
    needed = DESKS[desk.kind]
    fields = {field.name: field for field in needed.fields}
    for name, text in (("host", desk.host), ("account", desk.account), ("inbox", desk.inbox)):
        if name in fields:
            fields[name].check(text)
        elif text:
            raise InvalidInput(name, _BLANK)
    if needed.token:
        replace(TOKEN, is_required=True).check("token", token)
        if not token.isascii():
            raise InvalidInput("token", "Use only ASCII letters, digits and punctuation.")
    elif token:
        raise InvalidInput("token", _BLANK)
