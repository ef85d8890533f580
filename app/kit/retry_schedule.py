"""How often, and when, something is tried again that somebody else's server did not take."""

from datetime import datetime, timedelta
from typing import Final

# After each failed attempt but the last. One attempt more than this has numbers is made in all.
RETRY_AFTER: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)


def retry_delay(attempts: int, luck: float) -> timedelta | None:
    """How long to wait after that many failed attempts (1..), up to a fifth more or less by `luck` in [0, 1), so
    that a receiver that comes back is not met by all at once. None: it is given up."""
    if attempts > len(RETRY_AFTER):
        return None
    return RETRY_AFTER[attempts - 1] * (0.8 + 0.4 * luck)


def retry_at(now: datetime, attempts: int, luck: float) -> datetime | None:
    """When it is tried again, as `retry_delay` has it."""
    delay = retry_delay(attempts, luck)
    return None if delay is None else now + delay
