"""What was erased of visitors, at somebody's wish or by age: rows by table, and nothing that names a visitor."""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ErasedGaps:
    """`gaps` counts those that nobody else had asked; `askings` all that went."""

    gaps: int
    askings: int


@dataclass(frozen=True, slots=True)
class ErasedTellings:
    """`answers` counts the stale answers that nobody else was told; `tellings` all that went."""

    answers: int
    tellings: int


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """How many rows went. `gaps` counts those that nobody else had asked; of others only the visitor's askings went.
    `stale_answers` counts those that nobody else was told."""

    conversations: int
    turns: int
    messages: int
    citations: int
    feedback: int
    confirmations: int
    gaps: int
    gap_questions: int
    stale_answers: int
    stale_tellings: int
    outbox: int
    leads: int
    live_messages: int
    labels: int
    notes: int


@dataclass(frozen=True, slots=True)
class Erasure:
    """A receipt. `conversation_ids` are for those who must forget them elsewhere; they are kept nowhere."""

    id: UUID
    agent_id: UUID
    rows: ErasedRows
    conversation_ids: tuple[UUID, ...]
    erased_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionPeriod:
    """How long an agent keeps what visitors wrote."""

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
