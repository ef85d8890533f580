"""Ports: what web processes share of turns: the events of each, and orders to whoever answers it."""

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

from app.core.turn_events import NumberedEvent

KEPT_SECONDS = 600  # how long an ended turn can still be replayed event by event


@dataclass(frozen=True, slots=True)
class TurnHead:
    """Whose turn it is, and what was asked: tells a retry of the same turn from another question under its id."""

    turn_id: UUID
    conversation_id: UUID
    fingerprint: str


@dataclass(frozen=True, slots=True)
class EventBatch:
    """What a turn's log is to get: events whose numbers follow one another; at least one."""

    head: TurnHead
    events: Sequence[NumberedEvent]


class TurnLog(Protocol):
    """Holds a turn from its first event until `KEPT_SECONDS` after its last. One process, its owner, appends to a
    turn; all may read it."""

    @property
    def is_shared(self) -> bool:
        """Whether anybody but the owner reads it. Where nobody does, nothing need be appended."""
        ...

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        """Add the events, each turn's at once or not at all. Numbers that the log has are passed over.

        Returns the turns of which it has lost what came before: their events are to be appended from number 1.
        Raises Unavailable; some may be added then, and all may be appended again.
        """
        ...

    async def head(self, turn_id: UUID) -> TurnHead | None:
        """None for a turn that is not here. Raises Unavailable."""
        ...

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        """The events above number `after`, in order. Without any, wait for the next ones, and return none when that
        took too long; the turn need not be there yet. Raises Unavailable, also when events between are lost."""
        ...

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        """Raises Unavailable."""
        ...


OrderKind = Literal["stop", "end", "read", "left"]


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """stop: whoever answers the turns `ids` ends them. end: end the turns of the conversations `ids`, and forget their
    events. read, left: `sender` has begun, or ended, to read the turns `ids`. `sender` names a process."""

    kind: OrderKind
    ids: tuple[UUID, ...]
    sender: str


class TurnOrders(Protocol):
    async def send(self, order: TurnOrder) -> None:
        """To every process, the sender included. Raises Unavailable."""
        ...

    def received(self) -> AsyncGenerator[TurnOrder, None]:
        """What is sent from the first step of this generator on, in order. Never ends, and outlives an absence."""
        ...
