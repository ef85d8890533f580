"""When a webhook is tried again."""

from datetime import timedelta

import pytest

from app.core.webhook_event import WebhookEvent
from app.webhooks.webhook import RETRY_AFTER, event_of, retry_delay


def test_the_pauses_grow_and_end() -> None:
    pauses = [retry_delay(attempts, 0.5) for attempts in range(1, 7)]
    assert pauses == [*RETRY_AFTER, None]
    assert list(RETRY_AFTER) == sorted(RETRY_AFTER)


def test_luck_moves_a_pause_by_a_fifth_at_most() -> None:
    assert retry_delay(1, 0.0) == timedelta(seconds=48)
    assert timedelta(seconds=71) < (retry_delay(1, 0.999) or timedelta()) < timedelta(seconds=72)


@pytest.mark.parametrize("kind", ["turn.done", "turn.failed", "turn.cut"])
def test_every_end_of_a_turn_is_its_finish(kind: str) -> None:
    assert event_of(kind) is WebhookEvent.TURN_FINISHED


def test_a_person_who_was_asked_for_is_news_of_its_own() -> None:
    assert event_of("conversation.person_asked") is WebhookEvent.PERSON_ASKED


def test_a_gap_seen_is_a_gap_detected() -> None:
    assert event_of("gap.seen") is WebhookEvent.GAP_DETECTED


def test_a_digest_is_an_event_of_its_own() -> None:
    assert event_of("gaps.weekly") is WebhookEvent.GAPS_WEEKLY
