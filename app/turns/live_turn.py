"""A turn while it happens: a log of numbered events that any number of readers follow.

Readers hold an index into the log, not a queue: a slow reader costs nothing, and one that comes back reads on from
the number it saw last.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from uuid import UUID

from app.core.turn_events import FIRST_RECORD_NUMBER, Error, NumberedEvent, TurnEvent
from app.turns.event_log import EventLog
from app.turns.remote.turn_log import TurnHead
from app.turns.subscribers import Subscribers

_NOT_OURS = Error("internal", "The end of this answer was lost. Please ask again.", retryable=True)


class LiveTurn:
    """`grown` is called after every event."""

    def __init__(
        self, head: TurnHead, *, grown: Callable[[], None] | None = None, subscribers: Subscribers | None = None
    ) -> None:
        self.head = head
        self.subscribers = subscribers or Subscribers()
        self._tell = grown
        self._log = EventLog()
        self._grown: asyncio.Event | None = None  # while a reader waits for it

    @classmethod
    def finished(cls, head: TurnHead, events: Iterable[TurnEvent]) -> "LiveTurn":
        """A turn read back from the system of record; its last event is done or error."""
        turn = cls(head)
        turn.publish_recorded(events)
        return turn

    @property
    def turn_id(self) -> UUID:
        return self.head.turn_id

    @property
    def is_answered_here(self) -> bool:
        return True

    @property
    def conversation_id(self) -> UUID:
        return self.head.conversation_id

    @property
    def fingerprint(self) -> str:
        return self.head.fingerprint

    @property
    def last_number(self) -> int:
        """0 without any event."""
        return self._log.last_number

    @property
    def has_ended(self) -> bool:
        return self._log.has_ended

    def publish(self, event: TurnEvent) -> None:
        """Append to the log and wake the readers. Raises RuntimeError after done or error."""
        self._log.append(event)
        if self._grown:
            self._grown.set()
            self._grown = None
        if self._tell:
            self._tell()

    def publish_recorded(self, events: Iterable[TurnEvent]) -> None:
        """Append what the system of record has of this turn beyond the log."""
        self._log.go_on_from_record()
        for event in events:
            self.publish(event)

    def so_far(self, after: int = 0) -> list[NumberedEvent]:
        return list(self._log.since(self._log.place_after(after)))

    async def events(self, after: int = 0) -> AsyncGenerator[NumberedEvent, None]:
        """Replay the events numbered above `after`, then follow until done or error. Leaving never stops the turn,
        unless its agent says so.

        A reader that has more events than the turn came to is told that its end was lost. One whose numbers are the
        record's gets all: where the record took over from a log is not known any more.
        """
        seen = 0 if after >= FIRST_RECORD_NUMBER else after
        place = self._log.place_after(seen)
        with self.subscribers.reader():
            while True:
                while place < len(self._log):
                    numbered = self._log.at(place)
                    place += 1
                    if numbered.number > seen:
                        yield numbered
                if self.has_ended:
                    break
                self._grown = self._grown or asyncio.Event()
                await self._grown.wait()
            if seen > self.last_number:
                yield NumberedEvent(seen + 1, _NOT_OURS)
