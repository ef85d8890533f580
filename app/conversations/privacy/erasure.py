"""A receipt for what was erased of a visitor: rows by table, and nothing that names the visitor."""

from dataclasses import dataclass
from datetime import datetime
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
    """`conversation_ids` are for those who must forget them elsewhere; they are kept nowhere."""

    id: UUID
    agent_id: UUID
    rows: ErasedRows
    conversation_ids: tuple[UUID, ...]
    erased_at: datetime
