"""What happens on an agent that an operator's own server may hear of."""

from enum import StrEnum


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
