"""Where an agent's hand-overs go: a mail address, or a help desk with its credentials."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.setting import at_most
from app.core.webhook_event import WebhookEvent

MAX_FIELD_CHARS: Final = 254
MAX_TOKEN_CHARS: Final = 500
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
        at_most(MAX_TOKEN_CHARS),
        "The API token of the help desk, stored sealed and never shown again. If left out, the current one is kept, at "
        "the same host only.",
    ] = ""


@dataclass(frozen=True, slots=True)
class DeskFields:
    """Which of `host`, `account` and `inbox` a help desk needs is in `desks`. `events` are those that open tickets. The
    token is a secret and not part of this value."""

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
