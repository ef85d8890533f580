"""A turn while it happens: a log of numbered events that any number of readers follow.

Readers hold an index into the log, not a queue: a slow reader costs nothing, and one that comes back reads on from
the number it saw last.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from app.core.turn_events import FIRST_RECORD_NUMBER, Error, NumberedEvent, TurnEvent, TurnFeed
from app.turns.event_log import EventLog
from app.turns.remote.turn_log import TurnHead
from app.turns.subscribers import Subscribers

_NOT_OURS = Error("internal", "The end of this answer was lost. Please ask again.", retryable=True)


@dataclass(slots=True, eq=False)
class _Follower:
    """A reader, `place` the next event of the log for it, above the number `seen`."""

    place: int
    seen: int
    heard: Callable[[NumberedEvent], None]
    ended: Callable[[], None]


class LiveTurn(TurnFeed):
    """`grown` is called after every event."""

    def __init__(
        self, head: TurnHead, *, grown: Callable[[], None] | None = None, subscribers: Subscribers | None = None
    ) -> None:
        self.head = head
        self.subscribers = subscribers or Subscribers()
        self._tell = grown
        self._log = EventLog()
        self._followers: list[_Follower] = []

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
        """Append to the log and tell the readers. Raises RuntimeError after done or error."""
        self._log.append(event)
        for follower in tuple(self._followers):
            self._bring_up_to_date(follower)
        if self._tell:
            self._tell()

    def publish_recorded(self, events: Iterable[TurnEvent]) -> None:
        """Append what the system of record has of this turn beyond the log."""
        self._log.go_on_from_record()
        for event in events:
            self.publish(event)

    def so_far(self, after: int = 0) -> list[NumberedEvent]:
        return list(self._log.since(self._log.place_after(after)))

    @contextmanager
    def followed(self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]) -> Iterator[None]:
        """A reader that has more events than the turn came to is told that its end was lost. One whose numbers are the
        record's gets all: where the record took over from a log is not known any more."""
        seen = 0 if after >= FIRST_RECORD_NUMBER else after
        follower = _Follower(self._log.place_after(seen), seen, heard, ended)
        with self.subscribers.reader():
            self._bring_up_to_date(follower)
            self._followers.append(follower)
            try:
                yield
            finally:
                self._followers.remove(follower)

    def _bring_up_to_date(self, follower: _Follower) -> None:
        while follower.place < len(self._log):
            numbered = self._log.at(follower.place)
            follower.place += 1
            if numbered.number > follower.seen:
                follower.heard(numbered)
        if self.has_ended:
            if follower.seen > self.last_number:
                follower.heard(NumberedEvent(follower.seen + 1, _NOT_OURS))
            follower.ended()
