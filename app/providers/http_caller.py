"""Port: calls HTTP APIs that operators configure, and reads their responses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HttpReply:
    """`body` is cut if it is longer than the caller reads."""

    status: int
    body: bytes


class CallFailed(Exception):
    """The server did not respond, or may not be called; `str(error)` is the reason, without the path. The request
    `may_have_arrived` unless it is certain that nothing was sent."""

    def __init__(self, reason: str, *, may_have_arrived: bool = True) -> None:
        super().__init__(reason)
        self.may_have_arrived = may_have_arrived


class HttpCaller(Protocol):
    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        """Send once, follow no redirect. Takes seconds. Raises CallFailed."""
        ...
