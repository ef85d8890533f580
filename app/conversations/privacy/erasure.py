"""What was erased of visitors, at somebody's wish or by age: rows by table, and nothing that names a visitor."""

from collections.abc import Mapping
from dataclasses import dataclass
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
class Erasure:
    """A receipt. `rows` says how many rows went of each kind. Of `gaps` it counts those that nobody else had asked; of
    others only the visitor's askings went. `stale_answers` are those that nobody else was told. `conversation_ids` are
    for those who must forget them elsewhere; they are kept nowhere."""

    id: UUID
    agent_id: UUID
    rows: Mapping[str, int]
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
