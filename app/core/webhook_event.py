"""The events of an agent that may be delivered to an operator's server."""

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
    BUDGET_SPENT = "budget.spent"
    ACTION_LIMIT_NEAR = "action.limit_near"
