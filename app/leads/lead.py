"""A lead: a message that a visitor left for people to answer, because the site had no clear answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.webhook_event import Event, NoticeText, WebhookEvent

MAX_NAME_CHARS = 100
MAX_MESSAGE_CHARS = 4000
LEAD_LEFT: Final = Event(
    WebhookEvent("lead.left"),
    "a visitor left a message",
    50,
    ("lead_id",),
    NoticeText(
        "a visitor left a message",
        'On "{agent}" a visitor has left a message, with an address to answer to.',
        "{pages}/leads",
        "Read it",
    ),
)


class LeadState(StrEnum):
    OPEN = "open"
    DONE = "done"  # closed by an operator


@dataclass(frozen=True, slots=True)
class Lead:
    """At `created_at`, its writer agreed to its storage. The questions before it are in the conversation."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime
    assignee: Annotated[str, "The e-mail address of the assigned operator; empty if nobody is assigned."] = ""
    done_at: Annotated[datetime | None, "Null while the lead is open."] = None
    done_by: Annotated[str, "The operator or API token that marked the lead as done; empty while it is open."] = ""

    @property
    def state(self) -> LeadState:
        return LeadState.OPEN if self.done_at is None else LeadState.DONE


@dataclass(frozen=True, slots=True)
class LeadFilter:
    """`text` is words that must all occur in the name, the address, the message or the first question of its
    conversation, in any case; `assignee` is an operator's e-mail address or NOBODY; None matches any."""

    text: str = ""
    assignee: str | None = None
    state: LeadState | None = None


EVERY_LEAD = LeadFilter()


@dataclass(frozen=True, slots=True)
class LeadChange:
    """None leaves a value unchanged. `assignee` is an operator's e-mail address, "" for nobody."""

    state: LeadState | None = None
    assignee: str | None = None
