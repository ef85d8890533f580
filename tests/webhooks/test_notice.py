"""What people are told of an event, in words."""

from typing import Any
from uuid import UUID

import pytest

from app.actions.action import ACTION_LIMIT_NEAR
from app.core.webhook_event import WebhookEvent
from app.leads.lead import LEAD_LEFT
from app.stale_answers.stale_answer import ANSWERS_STALE
from app.webhooks.notice import notice_of, noticed
from tests.every_row import every_row

AGENT, OTHER = UUID(int=1), UUID(int=2)
WEEK: dict[str, Any] = {
    "week": {"first_day": "2025-12-29", "last_day": "2026-01-04"},
    "turns": {"turns": 5, "answered": 0.4, "abstained": 0.6},
    "turns_before": {"turns": 0, "answered": None, "abstained": None},
    "new": {"count": 1, "gaps": []},
    "answered": {"count": 2, "gaps": []},
    "reopened": {"count": 0, "gaps": []},
}
TOLD: dict[WebhookEvent, dict[str, Any]] = {
    WebhookEvent.PERSON_ASKED: {"conversation_id": str(OTHER)},
    WebhookEvent.GAP_GROWN: {"gap_id": str(OTHER), "count": 5},
    LEAD_LEFT.name: {"conversation_id": str(OTHER), "lead_id": str(OTHER)},
    WebhookEvent.CONVERSATION_ASSIGNED: {"conversation_id": str(OTHER), "assignee": "bo@example.com", "count": 1},
    WebhookEvent.OPERATOR_MENTIONED: {"conversation_id": str(OTHER), "mentioned": "bo@x.example", "by": "al@x.example"},
    WebhookEvent.BUDGET_NEAR: {"used_tokens": 900, "daily_tokens": 1000},
    WebhookEvent.BUDGET_SPENT: {"limit": "monthly_tokens", "used_tokens": 1000, "monthly_tokens": 1000},
    ACTION_LIMIT_NEAR.name: {"action_id": str(OTHER), "title": "Order status", "daily_calls": 1000},
    ANSWERS_STALE.name: {"document_id": str(OTHER), "count": 2},
    WebhookEvent.SOURCE_FAILED: {"source_id": str(OTHER), "run_id": str(OTHER), "kept_pages": 4},
    WebhookEvent.GAPS_WEEKLY: WEEK,
}


@every_row(
    ("event", "subject", "path"),
    [
        (WebhookEvent.PERSON_ASKED, "Shop: a visitor is waiting for a person", f"/console/live/{OTHER}"),
        (WebhookEvent.GAP_GROWN, "Shop: a gap has grown to 5", f"/console/agents/{AGENT}/gaps"),
        (ANSWERS_STALE.name, "Shop: 2 stale answers", f"/console/agents/{AGENT}/stale-answers"),
        (WebhookEvent.SOURCE_FAILED, "Shop: a source could not be read", f"/console/agents/{AGENT}/sources/{OTHER}"),
        (LEAD_LEFT.name, "Shop: a visitor left a message", f"/console/agents/{AGENT}/leads"),
        (
            WebhookEvent.CONVERSATION_ASSIGNED,
            "Shop: a conversation is assigned to bo@example.com",
            f"/console/agents/{AGENT}/conversations/{OTHER}",
        ),
        (
            WebhookEvent.OPERATOR_MENTIONED,
            "Shop: al@x.example mentioned bo@x.example in a note",
            f"/console/agents/{AGENT}/conversations/{OTHER}#notes",
        ),
        (
            WebhookEvent.BUDGET_NEAR,
            "Shop: the day's tokens are nearly used up",
            f"/console/agents/{AGENT}/settings/spending",
        ),
        (
            WebhookEvent.BUDGET_SPENT,
            "Shop: the month's tokens are used up",
            f"/console/agents/{AGENT}/settings/spending",
        ),
        (
            ACTION_LIMIT_NEAR.name,
            "Shop: an action is nearly used up",
            f"/console/agents/{AGENT}/actions/{OTHER}",
        ),
        (WebhookEvent.GAPS_WEEKLY, "Shop: the week of 2025-12-29", f"/console/agents/{AGENT}/gaps"),
    ],
)
def test_a_notice_names_the_agent_and_leads_to_where_something_can_be_done(
    event: WebhookEvent, subject: str, path: str
) -> None:
    notice = notice_of(event, AGENT, "Shop", TOLD[event])
    assert (notice.subject, notice.path) == (subject, path)
    assert '"Shop"' in notice.paragraphs[0]


def test_whatever_can_be_chosen_has_words() -> None:
    assert set(TOLD) == set(noticed())


def test_a_gap_that_was_asked_for_once_is_new() -> None:
    assert notice_of(WebhookEvent.GAP_GROWN, AGENT, "Shop", {"count": 1}).subject == "Shop: a new gap"


def test_several_conversations_are_told_at_once_and_found_in_the_inbox() -> None:
    notice = notice_of(WebhookEvent.CONVERSATION_ASSIGNED, AGENT, "Shop", {"assignee": "bo+a@example.com", "count": 3})
    assert notice.subject == "Shop: 3 conversations are assigned to bo+a@example.com"
    assert notice.path == f"/console/agents/{AGENT}/conversations?assignee=bo%2Ba%40example.com"


@pytest.mark.parametrize(("kept", "words"), [(4, "from what was read before"), (0, "no answers from it")])
def test_a_source_that_fails_says_what_visitors_get_meanwhile(kept: int, words: str) -> None:
    [paragraph] = notice_of(
        WebhookEvent.SOURCE_FAILED, AGENT, "Shop", TOLD[WebhookEvent.SOURCE_FAILED] | {"kept_pages": kept}
    ).paragraphs
    assert words in paragraph


def test_a_week_is_summed_up_beside_the_one_before() -> None:
    assert notice_of(WebhookEvent.GAPS_WEEKLY, AGENT, "Shop", WEEK).paragraphs == (
        '"Shop" from 2025-12-29 to 2026-01-04:',
        "5 questions, 40% answered, 60% not answered.\nThe week before: No questions.",
        "Gaps: 1 new, 2 answered, 0 reopened.",
    )
