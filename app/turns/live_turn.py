"""A running turn: a log of numbered events that any number of readers follow.

Readers hold an index into the log, not a queue: a slow reader costs nothing, and one that comes back continues after
the last number it saw.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from app.core.turn_events import FIRST_RECORD_NUMBER, INTERRUPTED, NumberedEvent, TurnEvent, TurnFeed
from app.turns.event_log import EventLog
from app.turns.remote.turn_log import TurnHead


class Subscribers:
    """Readers in this process, and other processes that have readers. `changed` is called whenever the first reader
    comes or the last one leaves. A turn that nobody has read yet does not count as left."""

    def __init__(self, changed: Callable[[bool], None] | None = None) -> None:
        self._changed = changed
        self._here = 0
        self._elsewhere: set[str] = set()
        self._gone: tuple[float, Callable[[], None]] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def reader(self) -> Iterator[None]:
        """Counts one reader here while the block runs."""
        self._change(here=+1)
        try:
            yield
        finally:
            self._change(here=-1)

    def elsewhere(self, process: str, is_reading: bool) -> None:
        """Another process has started or stopped reading for its own readers."""
        was_read = self._is_read
        (self._elsewhere.add if is_reading else self._elsewhere.discard)(process)
        self._tell(was_read)

    def when_gone(self, grace_seconds: float, call: Callable[[], None]) -> None:
        """Call once the last reader has left and `grace_seconds` have passed without another."""
        self._gone = (grace_seconds, call)

    @property
    def _is_read(self) -> bool:
        return self._here > 0 or bool(self._elsewhere)

    def _change(self, here: int) -> None:
        was_read = self._is_read
        self._here += here
        self._tell(was_read)

    def _tell(self, was_read: bool) -> None:
        if self._is_read == was_read:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._is_read and self._gone is not None:
            self._timer = asyncio.get_running_loop().call_later(*self._gone)
        if self._changed:
            self._changed(self._is_read)


@dataclass(slots=True, eq=False)
class _Follower:
    """A reader. `place` is its next event in the log, whose number is above `seen`."""

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
        """Append to the log and notify the readers. Raises RuntimeError after done or error."""
        self._log.append(event)
        for follower in tuple(self._followers):
            self._bring_up_to_date(follower)
        if self._tell:
            self._tell()

    def publish_recorded(self, events: Iterable[TurnEvent]) -> None:
        """Append the events that the system of record has beyond the log."""
        self._log.go_on_from_record()
        for event in events:
            self.publish(event)

    def so_far(self, after: int = 0) -> list[NumberedEvent]:
        return list(self._log.since(self._log.place_after(after)))

    @contextmanager
    def followed(self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]) -> Iterator[None]:
        """A reader that has seen more events than the turn has is told that its end was lost. A reader whose numbers
        are the record's gets all events, because nobody knows any more where the record took over from the log."""
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
                follower.heard(NumberedEvent(follower.seen + 1, INTERRUPTED))
            follower.ended()
