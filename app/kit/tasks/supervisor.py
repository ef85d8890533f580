"""Keeps work going for as long as the process: an error that nobody foresaw is logged and counted, and ends nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

import structlog

from app.core.errors import DocentError

log = structlog.get_logger(__name__)

_REST_SECONDS: Final = 1.0


class Supervisor:
    """`count` is called with the name of the work at each of its failures."""

    def __init__(self, count: Callable[[str], None] = lambda work: None) -> None:
        self._count = count

    async def keep_going(
        self, name: str, work: Callable[[], Awaitable[object]], rest_seconds: float = _REST_SECONDS
    ) -> NoReturn:
        """Await `work` again and again until cancelled, after a failure when `rest_seconds` have passed. Where nothing
        is to be done `work` waits itself."""
        while True:
            try:
                await work()
            except Exception as error:
                self.note_failure(name, error)
                await asyncio.sleep(rest_seconds)

    def note_failure(self, name: str, error: Exception) -> None:
        """For work that goes on by itself. What we raise on purpose says enough without a traceback."""
        self._count(name)
        if isinstance(error, DocentError):
            log.warning("background.failed", work=name, reason=str(error))
        else:
            log.error("background.failed", work=name, exc_info=error)
