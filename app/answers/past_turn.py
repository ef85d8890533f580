"""A turn that has ended, with what operators need to judge its answer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from app.core.turn import NO_ANSWER, AnsweredBy


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A question and where it was asked; `language` is a BCP 47 primary subtag, None when unknown."""

    question: str
    page_url: str
    language: str | None


@dataclass(frozen=True, slots=True)
class PastTurn:
    """`answered_by` is None for a turn that failed or was cut."""

    id: UUID
    conversation_id: UUID
    asked: PastQuestion
    asked_at: datetime
    answered_by: AnsweredBy | None
    curated_answer_id: UUID | None
    confidence: float | None
    is_low: bool
    rating: Annotated[str | None, "up, down, or null."]

    @property
    def was_answered_well(self) -> bool:
        """By the visitor's rating; without one, by the confidence of the answer."""
        if self.rating is not None:
            return self.rating == "up"
        return self.answered_by not in (None, AnsweredBy.FALLBACK, *NO_ANSWER) and not self.is_low
