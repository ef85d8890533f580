"""A gap is a question that the knowledge could not answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class GapReason(StrEnum):
    """What gave the gap away."""

    LOW_CONFIDENCE = "low_confidence"
    FAILURE_WORDS = "failure_words"  # the answer itself says that it does not know
    THUMBS_DOWN = "thumbs_down"
    REPHRASED = "rephrased"  # the visitor stopped the answer and asked the same in other words
    FLAGGED = "flagged"  # an operator who read the answer says so


class GapState(StrEnum):
    OPEN = "open"
    PROPOSED = "proposed"  # its questions are answered now: an operator may close it
    ANSWERED = "answered"  # closed, and a replay of its questions has shown that they are answered
    RESOLVED = "resolved"  # closed on an operator's word
    IGNORED = "ignored"


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
