"""A lead: a message that a visitor left for people to answer, because the site had no clear answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.conversations.conversation import MAX_TEXT_CHARS, MAX_WORDS, NOBODY
from app.core.field_rules import MAX_EMAIL_CHARS
from app.core.setting import at_most, required
from app.core.webhook_event import Event, NoticeText, WebhookEvent

LEAD_LEFT: Final = Event(
    WebhookEvent("lead.left"),
    "a visitor left a message",
    10,
    ("lead_id",),
    NoticeText(
        "a visitor left a message",
        'On "{agent}" a visitor has left a message, with an address to answer to.',
        "{pages}/leads",
        "Read it",
    ),
    is_urgent=True,
)


class LeadState(StrEnum):
    OPEN = "open"
    DONE = "done"  # closed by an operator


@dataclass(frozen=True, slots=True)
class Lead:
    """A message that its visitor left, and agreed to store, at `created_at`."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    name: Annotated[str, at_most(100)]
    email: Annotated[str, required(MAX_EMAIL_CHARS)]
    message: Annotated[str, required(4000, rows=4)]
    created_at: datetime
    assignee: Annotated[str, "The e-mail address of the assigned operator; empty if nobody is assigned."] = ""
    done_at: Annotated[datetime | None, "Null while the lead is open."] = None
    done_by: Annotated[str, "The operator or API token that marked the lead as done; empty while it is open."] = ""

    @property
    def state(self) -> LeadState:
        return LeadState.OPEN if self.done_at is None else LeadState.DONE


@dataclass(frozen=True, slots=True)
class LeadFilter:
    """None matches any."""

    text: Annotated[
        str,
        at_most(MAX_TEXT_CHARS, rows=2),
        f"Words, at most {MAX_WORDS}, that must all occur in the name, the address, the message or the "
        "conversation's first question.",
    ] = ""
    assignee: Annotated[str | None, at_most(MAX_EMAIL_CHARS), f"An operator's e-mail address, or `{NOBODY}`."] = None
    state: Annotated[LeadState | None, "If left out, both states."] = None


EVERY_LEAD = LeadFilter()


@dataclass(frozen=True, slots=True)
class LeadChange:
    """None leaves a value unchanged."""

    state: Annotated[LeadState | None, "`open` undoes `done`."] = None
    assignee: Annotated[str | None, at_most(MAX_EMAIL_CHARS), 'The e-mail address of an operator; "" for nobody.'] = (
        None
    )
