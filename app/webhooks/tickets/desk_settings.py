"""Where an agent's hand-overs go: a mail address, or a help desk with its credentials."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.field_rules import check_line
from app.core.webhook_event import WebhookEvent
from app.mail.mail import checked_mail_address

MAX_FIELD_CHARS: Final = 254
MAX_TOKEN_CHARS: Final = 500
HANDED_OVER: Final = (WebhookEvent.PERSON_ASKED, WebhookEvent.LEAD_LEFT)
"""What opens a ticket."""


class DeskKind(StrEnum):
    MAIL = "mail"
    ZENDESK = "zendesk"
    INTERCOM = "intercom"
    FRESHDESK = "freshdesk"
    CHATWOOT = "chatwoot"


_HOST: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The hosts that each may be at. Chatwoot is run by whoever wants to: any public one.
_HOSTS: Final = {
    DeskKind.ZENDESK: (re.compile(rf"{_HOST}\.zendesk\.com"), "shop.zendesk.com"),
    DeskKind.INTERCOM: (re.compile(r"api(?:\.eu|\.au)?\.intercom\.io"), "api.intercom.io"),
    DeskKind.FRESHDESK: (re.compile(rf"{_HOST}\.freshdesk\.com"), "shop.freshdesk.com"),
    DeskKind.CHATWOOT: (re.compile(rf"(?:{_HOST}\.){{1,8}}[a-z]{{2,24}}"), "app.chatwoot.com"),
}
_NUMBER: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class DeskFields:
    """`account` is the mail address, the agent's address at Zendesk, the ticket type at Intercom, or the account at
    Chatwoot; `inbox` is Chatwoot's. `events` are those that open tickets. The token is a secret and not part of this
    value."""

    kind: DeskKind
    host: str
    account: str
    inbox: str
    events: tuple[WebhookEvent, ...]

    @property
    def origin(self) -> str:
        return f"https://{self.host}"


@dataclass(frozen=True, slots=True)
class DeskSettings(DeskFields):
    """The settings of one agent, valid since `created_at`."""

    agent_id: UUID
    created_at: datetime


def check_desk(desk: DeskFields, token: str) -> None:
    """Raises InvalidInput with the field."""
    if not desk.events or not set(desk.events) <= set(HANDED_OVER):
        raise InvalidInput("events", f"Choose at least one of {', '.join(HANDED_OVER)}.")
    if desk.kind is DeskKind.MAIL:
        checked_mail_address("account", desk.account)
        _is_empty(desk.host, "host", desk.inbox, "inbox", token, "token")
        return
    pattern, example = _HOSTS[desk.kind]
    if len(desk.host) > MAX_FIELD_CHARS or not pattern.fullmatch(desk.host):
        raise InvalidInput("host", f"Enter only the host, such as {example}.")
    check_line("token", token, MAX_TOKEN_CHARS, may_be_empty=False)
    if not token.isascii():
        raise InvalidInput("token", "Use only ASCII letters, digits and punctuation.")
    if desk.kind is DeskKind.ZENDESK:
        checked_mail_address("account", desk.account)
    elif desk.kind is DeskKind.FRESHDESK:
        _is_empty(desk.account, "account")
    elif not _NUMBER.fullmatch(desk.account):
        raise InvalidInput("account", "Enter the account number.")
    if desk.kind is not DeskKind.CHATWOOT:
        _is_empty(desk.inbox, "inbox")
    elif not _NUMBER.fullmatch(desk.inbox):
        raise InvalidInput("inbox", "Enter the number of the inbox for new conversations.")


def _is_empty(*given: str) -> None:
    for value, field in zip(given[::2], given[1::2], strict=True):
        if value:
            raise InvalidInput(field, "Leave this blank for this type.")
