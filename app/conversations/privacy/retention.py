"""How long an agent keeps what visitors wrote."""

from dataclasses import astuple, dataclass
from datetime import timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RetentionPeriod:
    agent_id: UUID
    workspace_id: UUID
    days: int

    @property
    def age(self) -> timedelta:
        return timedelta(days=self.days)


@dataclass(frozen=True, slots=True)
class ErasedByAge:
    """How many rows one batch removed; what hangs on a turn goes with it and is not counted."""

    turns: int
    conversations: int
    visitors: int
    leads: int
    live_messages: int
    notes: int

    def has_reached(self, limit: int) -> bool:
        """More of some kind may be left."""
        return limit in astuple(self)

    def __bool__(self) -> bool:
        return any(astuple(self))
