"""A lead: what a visitor left for people to answer, where the site had no clear answer."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

MAX_NAME_CHARS = 100
MAX_EMAIL_CHARS = 254  # RFC 5321
MAX_MESSAGE_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Lead:
    """Its writer has agreed, at `created_at`, that it is kept. What was asked before is in the conversation. `assignee`
    is the operator who looks after it, by their e-mail address, "" for nobody."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime
    assignee: str = ""
