"""Port: how much one caller may ask."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` hits in any `seconds`."""

    count: int
    seconds: int


class RateLimiter(Protocol):
    async def hit(self, limit: Limit, *key: str) -> None:
        """Count one hit of `key`.

        Raises RateLimited, with the seconds to wait, when the limit is used up.
        """
        ...
