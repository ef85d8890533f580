"""When something that was not taken is tried again."""

from datetime import timedelta

from app.store.delivery_loop import RETRY_AFTER, retry_delay


def test_the_pauses_grow_and_end() -> None:
    pauses = [retry_delay(attempts, 0.5) for attempts in range(1, 7)]
    assert pauses == [*RETRY_AFTER, None]
    assert list(RETRY_AFTER) == sorted(RETRY_AFTER)


def test_luck_moves_a_pause_by_a_fifth_at_most() -> None:
    assert retry_delay(1, 0.0) == timedelta(seconds=48)
    assert timedelta(seconds=71) < (retry_delay(1, 0.999) or timedelta()) < timedelta(seconds=72)
