"""Which conversations an operator wants to see."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from app.conversations.inbox_entry import ConversationState, Outcome
from app.core.turn import AnsweredBy

MAX_WORDS = 8
MAX_TEXT_CHARS = 200
NOBODY: Final = "nobody"  # no e-mail address


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Those in which one turn fits everything that is asked of turns. `text` is words that must all occur in its
    question or answer, and `page_url` a part of the address at which it was asked, anywhere in them and whatever their
    case; `since` and `until` are when it was asked. Of the conversation itself: `visitor_id`, `state`, `label` and
    `assignee`, an operator's e-mail address or NOBODY. That a person was asked for is the conversation's as well."""

    text: str = ""
    is_low: bool | None = None
    rating: Literal["up", "down"] | None = None
    answered_by: AnsweredBy | None = None
    since: datetime | None = None
    until: datetime | None = None
    outcome: Outcome | None = None
    page_url: str = ""
    language: str | None = None
    visitor_id: UUID | None = None
    assignee: str | None = None
    label: str | None = None
    state: ConversationState | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.text.split()))[:MAX_WORDS]


EVERY_CONVERSATION = ConversationFilter()
