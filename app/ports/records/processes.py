"""Port: which of our processes live. A process that was killed cannot say so; its silence does.

All times are the record's own: the clocks of two machines differ.
"""

from typing import Protocol


class ProcessRecords(Protocol):
    """`name` is unique to one start of one process; `kind` is "web" or "worker"."""

    async def beat(self, name: str, kind: str) -> float:
        """The process lives now. Returns the seconds since its last beat, 0 at its first."""
        ...

    async def leave(self, name: str) -> None:
        """The process ends in good order."""
        ...

    async def living(self, kind: str, within_seconds: int) -> set[str]:
        """Names that have beaten in that time."""
        ...
