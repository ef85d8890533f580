"""The events of an agent that may be delivered to an operator's server."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

TURN: Final = "turn."
_GAP: Final = "gap.seen"


class WebhookEvent(StrEnum):
    TURN_FINISHED = "turn.finished"
    GAP_DETECTED = "gap.detected"
    GAP_GROWN = "gap.grown"
    GAPS_WEEKLY = "gaps.weekly"
    PERSON_ASKED = "conversation.person_asked"
    LEAD_LEFT = "lead.left"
    CONVERSATION_ASSIGNED = "conversation.assigned"
    OPERATOR_MENTIONED = "conversation.mentioned"
    ANSWERS_STALE = "answers.stale"
    SOURCE_FAILED = "source.failed"
    BUDGET_NEAR = "budget.near"
    BUDGET_SPENT = "budget.spent"
    ACTION_LIMIT_NEAR = "action.limit_near"


@dataclass(frozen=True, slots=True)
class News:
    """An event of an agent in the outbox: `kind` is the outbox's own, `payload` has ids and figures."""

    id: UUID
    agent_id: UUID
    kind: str
    payload: Mapping[str, Any]
    happened_at: datetime

    def is_wanted(self, events: Collection[str], since: datetime) -> bool:
        """For somebody who has subscribed to these events `since` then."""
        return since <= self.happened_at and event_of(self.kind) in events


def event_of(kind: str) -> WebhookEvent:
    """The event for an outbox row of that kind: "turn.done", "turn.failed", "turn.cut", "gap.seen", or an event's own
    name, which that of a limit may follow after a colon."""
    if kind.startswith(TURN):
        return WebhookEvent.TURN_FINISHED
    return WebhookEvent.GAP_DETECTED if kind == _GAP else WebhookEvent(kind.partition(":")[0])
