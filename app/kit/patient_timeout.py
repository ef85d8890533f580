"""A timeout for waiting on others that does not count delays of our own event loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_LOOKS: Final = 8  # an answer is seen by one round of the loop and taken by the next: connecting needs six


@asynccontextmanager
async def patient_timeout(seconds: float) -> AsyncIterator[None]:
    """Like `asyncio.timeout`, but the time is counted in parts, and each counts once, however late the loop is: a busy
    event loop has not looked whether the answer was there. If the loop is on time, the block ends after `seconds`;
    otherwise after as many rounds of the loop as there are parts. Raises TimeoutError."""
    loop = asyncio.get_running_loop()
    left = _LOOKS
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal left, timer
        left -= 1
        if left:
            timer = loop.call_later(seconds / _LOOKS, look)
        else:
            bound.reschedule(loop.time())

    timer = loop.call_later(seconds / _LOOKS, look)
    async with asyncio.timeout(None) as bound:
        try:
            yield
        finally:
            timer.cancel()
