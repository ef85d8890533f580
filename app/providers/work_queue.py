"""Port: work that waits."""

from typing import Protocol


class WorkQueue(Protocol):
    """A queue of bounded length before something that many turns need."""

    @property
    def is_full(self) -> bool:
        """Whether a turn that began now could not wait here any more."""
        ...
