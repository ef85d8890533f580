"""Decides when the next request to a host may be sent: minimum delay, Crawl-delay, Retry-After, few at a time."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

MAX_CRAWL_DELAY_SECONDS = 30.0


@dataclass(slots=True)
class _Host:
    turns: anyio.Semaphore
    delay_seconds: float
    next_at: float = 0.0


class HostPacing:
    """Schedules requests by host, within one event loop.

    `min_delay_seconds` is the time between the starts of two requests to a host; at most `max_per_host` run at once.
    `clock` and `sleep` are in seconds; if tests replace them, `sleep` must advance `clock`.
    """

    def __init__(
        self,
        min_delay_seconds: float = 0.5,
        max_per_host: int = 2,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._min_delay_seconds = min_delay_seconds
        self._max_per_host = max_per_host
        self._clock = clock
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for a turn; the request happens inside the block."""
        state = self._state(host)
        async with state.turns:
            while (wait := state.next_at - self._clock()) > 0:
                await self._sleep(wait)
            state.next_at = self._clock() + state.delay_seconds
            yield

    def slow_down(self, host: str, delay_seconds: float) -> None:
        """Honour a Crawl-delay; at most MAX_CRAWL_DELAY_SECONDS, never less than the minimum."""
        self._state(host).delay_seconds = max(self._min_delay_seconds, min(delay_seconds, MAX_CRAWL_DELAY_SECONDS))

    def push_back(self, host: str, seconds: float) -> None:
        """Start no new request to the host within the next `seconds`."""
        state = self._state(host)
        state.next_at = max(state.next_at, self._clock() + seconds)

    def _state(self, host: str) -> _Host:
        if host not in self._hosts:
            self._hosts[host] = _Host(anyio.Semaphore(self._max_per_host), self._min_delay_seconds)
        return self._hosts[host]
