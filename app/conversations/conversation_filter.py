"""Which conversations an operator wants to see."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.core.turn import AnsweredBy

MAX_WORDS = 8
MAX_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Those in which one turn fits everything that is asked for. `text` is words that must all occur in its question
    or answer, anywhere in them and whatever their case; `since` and `until` are when it was asked."""

    text: str = ""
    is_low: bool | None = None
    rating: Literal["up", "down"] | None = None
    answered_by: AnsweredBy | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.text.split()))[:MAX_WORDS]


EVERY_CONVERSATION = ConversationFilter()
