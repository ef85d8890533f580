"""Where an agent's hand-overs go: a mail address, or a help desk with its credentials."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.setting import at_most, required
from app.core.webhook_event import WebhookEvent

MAX_FIELD_CHARS: Final = 254
_FIELD: Final = at_most(MAX_FIELD_CHARS)
TOKEN: Final = at_most(500)
HANDED_OVER: Final = (WebhookEvent.PERSON_ASKED, WebhookEvent("lead.left"))
"""What opens a ticket."""


class DeskKind(StrEnum):
    MAIL = "mail"
    ZENDESK = "zendesk"
    INTERCOM = "intercom"
    FRESHDESK = "freshdesk"
    CHATWOOT = "chatwoot"


@dataclass(frozen=True, slots=True)
class DeskToken:
    token: Annotated[
        str,
        TOKEN,
        "The API token of the help desk, stored sealed and never shown again. If left out, the current one is kept, at "
        "the same host only.",
    ] = ""


@dataclass(frozen=True, slots=True)
class DeskFields:
    """`desks` says which of `host`, `account` and `inbox` a help desk needs. `events` open tickets. The token is a
    secret, and not part of this value."""

    kind: DeskKind = DeskKind.MAIL
    host: Annotated[str, _FIELD, "Of Zendesk, Intercom, Freshdesk or Chatwoot, such as shop.zendesk.com."] = ""
    account: Annotated[
        str,
        _FIELD,
        "The address for mail, the address of an agent at Zendesk, the id of a type of tickets at Intercom, or "
        "the number of an account of Chatwoot.",
    ] = ""
    inbox: Annotated[str, _FIELD, "For Chatwoot: the inbox in which conversations are opened."] = ""
    events: Annotated[tuple[WebhookEvent, ...], required(10)] = HANDED_OVER

    @property
    def origin(self) -> str:
        return f"https://{self.host}"


@dataclass(frozen=True, slots=True)
class DeskSettings(DeskFields):
    """The settings of one agent, valid since `created_at`."""

    agent_id: UUID = field(kw_only=True)
    created_at: datetime = field(kw_only=True)
