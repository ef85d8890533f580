"""How long an agent keeps what visitors wrote."""

from dataclasses import dataclass
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

    def has_reached(self, limit: int) -> bool:
        """More of some kind may be left."""
        return limit in (self.turns, self.conversations, self.visitors, self.leads, self.live_messages)

    def __bool__(self) -> bool:
        return bool(self.turns or self.conversations or self.visitors or self.leads or self.live_messages)
