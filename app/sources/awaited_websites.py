"""Websites that are read while somebody waits for what they say."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

import anyio

from app.core.errors import Overloaded
from app.core.setting_values import USER_AGENT
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing

_LIMITS: Final = FetchLimits(total_timeout_seconds=10, attempts=1)  # one that is slow or away is not asked again
_AT_ONCE: Final = 4


class AwaitedWebsites:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be asked although they are private."""

    def __init__(
        self, allowed: Iterable[Endpoint] = (), *, user_agent: str = USER_AGENT, min_delay_seconds: float = 0.5
    ) -> None:
        self.policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self.policy))
        self.fetcher = Fetcher(self._wire, user_agent, HostPacing(min_delay_seconds), self.policy, _LIMITS)
        self._slots = anyio.Semaphore(_AT_ONCE)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Around the reading of one website. Raises Overloaded while too many are read."""
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            raise Overloaded("Other websites are being checked. Try again in a moment.") from None
        try:
            yield
        finally:
            self._slots.release()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.aclose()
