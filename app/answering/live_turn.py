"""A turn while it happens: a log of numbered events that any number of readers follow.

Readers hold an index into the log, not a queue: a slow reader costs nothing, and one that comes back reads on from
the number it saw last.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from uuid import UUID

from app.domain.turn_events import NumberedEvent, TurnEvent


class LiveTurn:
    """`fingerprint` and `conversation_id` tell whether a request under the same id is the same turn."""

    def __init__(self, turn_id: UUID, conversation_id: UUID, fingerprint: str) -> None:
        self.turn_id = turn_id
        self.conversation_id = conversation_id
        self.fingerprint = fingerprint
        self._log: list[NumberedEvent] = []
        self._grown = asyncio.Event()

    @classmethod
    def finished(
        cls, turn_id: UUID, conversation_id: UUID, fingerprint: str, events: Iterable[TurnEvent]
    ) -> "LiveTurn":
        """A turn read back from the system of record; its last event is done or error."""
        turn = cls(turn_id, conversation_id, fingerprint)
        for event in events:
            turn.publish(event)
        return turn

    @property
    def has_ended(self) -> bool:
        return bool(self._log) and self._log[-1].is_last

    def publish(self, event: TurnEvent) -> None:
        """Append to the log and wake the readers. Nothing may follow done or error."""
        if self.has_ended:
            raise RuntimeError(f"turn {self.turn_id} has ended; {event.name} came too late")
        self._log.append(NumberedEvent(len(self._log) + 1, event))
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()

    async def events(self, after: int = 0) -> AsyncIterator[NumberedEvent]:
        """Replay the events numbered above `after`, then follow until done or error. Leaving never stops the turn."""
        position = max(0, after)
        while True:
            grown = self._grown
            while position < len(self._log):
                numbered = self._log[position]
                position += 1
                yield numbered
            if self.has_ended:
                return
            await grown.wait()
