"""A lead: a message that a visitor left for people to answer, because the site had no clear answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

MAX_NAME_CHARS = 100
MAX_MESSAGE_CHARS = 4000


class LeadState(StrEnum):
    OPEN = "open"
    DONE = "done"  # closed by an operator


@dataclass(frozen=True, slots=True)
class Lead:
    """At `created_at`, its writer agreed to its storage. The questions before it are in the conversation. `assignee` is
    the operator who looks after it, by e-mail address, or "". `done_at` is when `done_by`, an operator or token, closed
    it; None and "" while it is open."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime
    assignee: str = ""
    done_at: datetime | None = None
    done_by: str = ""

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
