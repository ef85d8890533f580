"""Port: posts to servers that operators name."""

from collections.abc import Mapping
from typing import Protocol


class WebhookSender(Protocol):
    def canonical(self, url: str) -> str:
        """The one spelling of an address that may be posted to. Raises InvalidInput for `url`."""
        ...

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        """Send once, follow nothing. None when the receiver said 2xx, else why not, in words. Takes seconds, and
        never raises for what a receiver does."""
        ...
