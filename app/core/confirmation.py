"""A change that an answer proposes, and what the visitor has said to it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

CONFIRM_WITHIN: Final = timedelta(minutes=30)
# Above what a call and its record may take: whoever made the call is gone by then, and nobody knows what became of it.
SETTLED_WITHIN: Final = timedelta(seconds=40)


class ConfirmationState(StrEnum):
    ASKED = "asked"
    CONFIRMED = "confirmed"  # the call is under way
    DECLINED = "declined"
    EXPIRED = "expired"  # nobody has answered in time
    VOID = "void"  # something else was proposed since, or the action is not what it was
    DONE = "done"
    FAILED = "failed"  # it could not be called, or whoever was called refused
    UNKNOWN = "unknown"  # it was called, and nobody knows what became of it


@dataclass(frozen=True, slots=True)
class ShownValue:
    """An argument as the visitor sees it, `label` by the operator's word for it."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """What is called once the visitor confirms, and what they are shown of it: `url` and `body` are what is sent, to
    the byte. `revision` is that of the action whose definition they were made by."""

    id: UUID
    action_id: UUID
    revision: int
    action: str
    title: str
    summary: str
    shown: tuple[ShownValue, ...]
    method: str
    url: str
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the visitor is asked, and what became of it. `text` is what is told of the result, by the operator's
    template and as a text, "" where only the state is told. `status` is HTTP's, None where nobody answered."""

    id: UUID
    turn_id: UUID
    action: str
    title: str
    summary: str
    shown: tuple[ShownValue, ...]
    state: ConfirmationState
    created_at: datetime
    expires_at: datetime
    text: str = ""
    status: int | None = None
    decided_at: datetime | None = None

    @property
    def values(self) -> tuple[ShownValue, ...]:
        return self.shown

    def as_of(self, now: datetime) -> "Confirmation":
        """What is stored, as it reads at that moment: time ends what nobody has."""
        if self.state is ConfirmationState.ASKED and now >= self.expires_at:
            return replace(self, state=ConfirmationState.EXPIRED)
        is_lost = self.decided_at is not None and now >= self.decided_at + SETTLED_WITHIN
        if self.state is ConfirmationState.CONFIRMED and is_lost:
            return replace(self, state=ConfirmationState.UNKNOWN)
        return self
