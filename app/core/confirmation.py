"""A change that an answer proposes, and the visitor's decision."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

CONFIRM_WITHIN: Final = timedelta(minutes=30)
# Longer than a call and its record may take: after this, whoever made the call is gone, and its result is unknown.
SETTLED_WITHIN: Final = timedelta(seconds=40)


class ConfirmationState(StrEnum):
    ASKED = "asked"
    CONFIRMED = "confirmed"  # the call is in progress
    DECLINED = "declined"
    EXPIRED = "expired"  # nobody answered in time
    VOID = "void"  # replaced by another proposal, or the action was revised
    DONE = "done"
    FAILED = "failed"  # it could not be called, or the service refused
    UNKNOWN = "unknown"  # it was called, and the result is unknown


@dataclass(frozen=True, slots=True)
class ShownValue:
    """An argument as the visitor sees it; `label` is the operator's word for it."""

    name: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """The call to make once the visitor confirms, and what they are shown. `url` and `body` are exactly what is sent.
    `revision` is that of the action's definition from which they were made."""

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
    """A request to the visitor to confirm, and its result. `text` describes the result by the operator's template, as
    plain text; "" if only the state is shown. `status` is the HTTP status, None without a response."""

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
        """The stored value as it reads at that moment: unanswered ones expire with time."""
        if self.state is ConfirmationState.ASKED and now >= self.expires_at:
            return replace(self, state=ConfirmationState.EXPIRED)
        is_lost = self.decided_at is not None and now >= self.decided_at + SETTLED_WITHIN
        if self.state is ConfirmationState.CONFIRMED and is_lost:
            return replace(self, state=ConfirmationState.UNKNOWN)
        return self
