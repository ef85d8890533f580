"""Port: what time it is."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The moment, timezone-aware, in UTC."""
        ...
