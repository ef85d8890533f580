"""A visitor stops an answer and asks the same in other words: what they were told was not what they wanted."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

REPHRASED_WITHIN: Final = timedelta(minutes=2)  # of the stop


@dataclass(frozen=True, slots=True)
class StoppedTurn:
    """A turn whose answer the visitor stopped. `asked_next` is the question that they then began, in the same
    conversation and within REPHRASED_WITHIN; None when they began none. `language` is that of the turn (BCP 47 primary
    subtag). Personal data is masked in both questions."""

    id: UUID
    question: str
    asked_next: str | None
    language: str | None
