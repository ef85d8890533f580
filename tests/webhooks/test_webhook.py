"""Which event a row of the outbox is."""

import pytest

from app.core.webhook_event import WebhookEvent, event_of


@pytest.mark.parametrize("kind", ["turn.done", "turn.failed", "turn.cut"])
def test_every_end_of_a_turn_is_its_finish(kind: str) -> None:
    assert event_of(kind) == WebhookEvent.TURN_FINISHED


def test_a_person_who_was_asked_for_is_news_of_its_own() -> None:
    assert event_of("conversation.person_asked") == WebhookEvent.PERSON_ASKED


def test_a_gap_seen_is_a_gap_detected() -> None:
    assert event_of("gap.seen") == WebhookEvent.GAP_DETECTED


def test_a_digest_is_an_event_of_its_own() -> None:
    assert event_of("gaps.weekly") == WebhookEvent.GAPS_WEEKLY
