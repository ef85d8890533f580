"""Ports for what web processes share about turns: their events, and orders to their owners; and the implementations
for a single web process."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

from app.core.turn_events import NumberedEvent

KEPT_SECONDS = 600  # how long an ended turn can still be replayed event by event


@dataclass(frozen=True, slots=True)
class TurnHead:
    """Identifies a turn and its question, to tell a retry from another question with the same id."""

    turn_id: UUID
    conversation_id: UUID
    fingerprint: str


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events to append to a turn's log: at least one, with consecutive numbers."""

    head: TurnHead
    events: Sequence[NumberedEvent]


class TurnLog(Protocol):
    """Keeps a turn from its first event until `KEPT_SECONDS` after its last. Only one process, its owner, appends to a
    turn; all may read it."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes read the log; if not, nothing needs to be appended."""
        ...

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        """Append the events of each turn, all or none of them. Numbers that the log already has are skipped.

        Returns the turns whose earlier events are lost: append theirs again from number 1. Raises Unavailable; some may
        have been appended then, and all may be appended again.
        """
        ...

    async def head(self, turn_id: UUID) -> TurnHead | None:
        """None if the log does not have the turn. Raises Unavailable."""
        ...

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        """The events above number `after`, in order. If there are none, wait for the next ones, and return none after
        `wait_seconds`; the turn need not exist yet. Raises Unavailable, also if events in between are lost."""
        ...

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        """Raises Unavailable."""
        ...


OrderKind = Literal["stop", "end", "read", "left"]


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """stop: the owner of the turns `ids` ends them. end: end the turns of the conversations `ids`, and forget their
    events. read, left: `sender` has started or stopped reading the turns `ids`. `sender` names a process."""

    kind: OrderKind
    ids: tuple[UUID, ...]
    sender: str


class TurnOrders(Protocol):
    async def send(self, order: TurnOrder) -> None:
        """To every process, the sender included. Raises Unavailable."""
        ...

    def received(self) -> AsyncGenerator[TurnOrder, None]:
        """Orders in the sent order, from the first step of the generator on. Never ends, and survives outages."""
        ...


class UnsharedTurnLog:
    """Stores nothing, because a single process has all turns itself."""

    is_shared = False

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        return ()

    async def head(self, turn_id: UUID) -> TurnHead | None:
        return None

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        await asyncio.sleep(wait_seconds)
        return []

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        pass


class MemoryTurnOrders:
    """Delivers orders to all receivers of the same object."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[TurnOrder]] = set()

    async def send(self, order: TurnOrder) -> None:
        for listener in self._listeners:
            listener.put_nowait(order)

    async def received(self) -> AsyncGenerator[TurnOrder, None]:
        mine: asyncio.Queue[TurnOrder] = asyncio.Queue()
        self._listeners.add(mine)
        try:
            while True:
                yield await mine.get()
        finally:
            self._listeners.discard(mine)
