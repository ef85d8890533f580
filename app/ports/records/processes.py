"""Port: which of our processes live. A process that was killed cannot say so; its silence does."""

from typing import Protocol


class ProcessRecords(Protocol):
    """`name` is unique to one start of one process; `kind` is "web" or "worker"."""

    async def beat(self, name: str, kind: str) -> None:
        """The process lives now."""
        ...

    async def leave(self, name: str) -> None:
        """The process ends in good order."""
        ...

    async def living(self, kind: str, within_seconds: int) -> set[str]:
        """Names that have beaten in that time."""
        ...
