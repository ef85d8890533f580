"""A gap is a question that the knowledge could not answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from app.core.gap_state import GapReason, GapState


@dataclass(frozen=True, slots=True)
class GapFilter:
    """Gaps of that reason, asked in that language (BCP 47 primary subtag), seen at that moment or later, with that text
    in their question (the case of ASCII letters does not count); None: any."""

    reason: GapReason | None = None
    language: str | None = None
    since: datetime | None = None
    text: str | None = None


EVERY_GAP = GapFilter()


class GapOrder(StrEnum):
    """What a list of gaps begins with; equals follow latest first."""

    ASKED = "asked"  # most often
    IMPACT = "impact"  # GapFacts.impact
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Gap:
    """One unanswered question, however often it was asked. `question` is the latest wording, its personal data
    masked."""

    id: UUID
    agent_id: UUID
    question: str
    state: GapState
    reason: GapReason
    count: int
    first_seen: datetime
    last_seen: datetime
    note: str = ""
    assignee: str = ""
