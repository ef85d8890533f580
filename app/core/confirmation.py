"""A change that an answer proposes, and the visitor's decision."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

CONFIRM_WITHIN: Final = timedelta(minutes=30)
# Longer than a call and storing its result may take. After this, the process that made the call must have died.
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
    """An argument as the visitor sees it."""

    name: str
    label: Annotated[str, "The label that the operator chose."]
    value: Annotated[str, "The value as it is sent. Plain text, never HTML."]


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """The call to make once the visitor confirms, and what they are shown. `url` and `body` are sent exactly so.
    `revision` is the revision of the action's definition that they were made from."""

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
    """A request to the visitor to confirm, and its result."""

    id: UUID
    turn_id: UUID
    action: Annotated[str, "The name of the action."]
    title: str
    summary: Annotated[
        str, "What the visitor is asked to confirm, from the operator's template. Plain text, never HTML."
    ]
    shown: tuple[ShownValue, ...]
    state: Annotated[
        ConfirmationState,
        "confirmed: the call is in progress; void: another change was proposed since, or the operator "
        "changed the action; unknown: the call was made, but its result is not known.",
    ]
    created_at: datetime
    expires_at: datetime
    text: Annotated[
        str, "The result, from the operator's template. If empty, describe the state in your own words."
    ] = ""
    status: Annotated[int | None, "The HTTP status; null if there was no call or no response."] = None
    decided_at: Annotated[datetime | None, "When the visitor decided; null if they have not."] = None

    @property
    def values(
        self,
    ) -> Annotated[tuple[ShownValue, ...], "All values that the model gave, to be shown beside the summary."]:
        return self.shown

    def as_of(self, now: datetime) -> "Confirmation":
        """The confirmation with its state at `now`: time alone turns ASKED into EXPIRED, and CONFIRMED into UNKNOWN."""
        if self.state is ConfirmationState.ASKED and now >= self.expires_at:
            return replace(self, state=ConfirmationState.EXPIRED)
        is_lost = self.decided_at is not None and now >= self.decided_at + SETTLED_WITHIN
        if self.state is ConfirmationState.CONFIRMED and is_lost:
            return replace(self, state=ConfirmationState.UNKNOWN)
        return self
