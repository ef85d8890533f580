"""What was erased of visitors, on request or by age: rows by table, without anything that identifies a visitor."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Erasure:
    """A receipt. `rows` counts the erased rows by kind. `conversation_ids` are for those who must forget them
    elsewhere; they are not stored."""

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
