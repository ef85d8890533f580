"""A running turn: a log of numbered events that any number of readers follow.

Readers hold an index into the log, not a queue: a slow reader costs nothing, and one that comes back continues after
the last number it saw.
"""

import asyncio
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from uuid import UUID

from app.core.turn import Finish, StoredTurn, TurnState
from app.core.turn_events import (
    FIRST_RECORD_NUMBER,
    INTERRUPTED,
    Citations,
    Confirm,
    Done,
    Error,
    NumberedEvent,
    Start,
    Token,
    TurnEvent,
    TurnFeed,
)
from app.turns.remote.turn_log import TurnHead


class EventLog:
    """The events of a turn in order. Live events are numbered from 1; events read back from the system of record
    follow, numbered from FIRST_RECORD_NUMBER. A place is an index into the whole log.

    Tokens are kept as bare texts, and as one joined text after the end: 12 bytes a token instead of 340.
    """

    def __init__(self) -> None:
        self._texts: list[str] | _JoinedTexts = []  # of the tokens, in order
        self._others: list[TurnEvent] = []
        self._other_places: list[int] = []
        self._recorded_from: int | None = None  # place of the first event read from the record

    def __len__(self) -> int:
        return len(self._texts) + len(self._others)

    @property
    def has_ended(self) -> bool:
        """Whether the last event is done or error."""
        return isinstance(self._texts, _JoinedTexts)

    @property
    def last_number(self) -> int:
        """0 without any event."""
        return self._number(len(self) - 1) if len(self) else 0

    def append(self, event: TurnEvent) -> None:
        """Raises RuntimeError after the end."""
        if isinstance(self._texts, _JoinedTexts):
            raise RuntimeError(f"{event.name} came after the end")
        if isinstance(event, Token):
            self._texts.append(event.token)
            return
        self._other_places.append(len(self))
        self._others.append(event)
        if isinstance(event, Done | Error):
            self._texts = _JoinedTexts(self._texts)

    def go_on_from_record(self) -> None:
        """Number the following events from FIRST_RECORD_NUMBER."""
        if self._recorded_from is None:
            self._recorded_from = len(self)

    def at(self, place: int) -> NumberedEvent:
        others_before = bisect_left(self._other_places, place)
        if others_before < len(self._others) and self._other_places[others_before] == place:
            return NumberedEvent(self._number(place), self._others[others_before])
        return NumberedEvent(self._number(place), Token(self._texts[place - others_before]))

    def since(self, place: int) -> Iterator[NumberedEvent]:
        return (self.at(each) for each in range(place, len(self)))

    def place_after(self, number: int) -> int:
        """The place of the first event with a greater number."""
        return bisect_right(range(len(self)), number, key=self._number)

    def _number(self, place: int) -> int:
        recorded_from = self._recorded_from
        if recorded_from is None or place < recorded_from:
            return place + 1
        return FIRST_RECORD_NUMBER + place - recorded_from


class _JoinedTexts:
    """Many short texts joined into one, with the end of each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._joined = "".join(texts)
        self._ends = array("I", accumulate(map(len, texts)))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        return self._joined[self._ends[index - 1] if index else 0 : self._ends[index]]


class Subscribers:
    """Tracks the readers in this process, and the other processes with readers. `changed` is called with True when the
    first reader comes, and with False when the last one leaves."""

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
        self._note_change(was_read)

    def when_gone(self, grace_seconds: float, call: Callable[[], None]) -> None:
        """Have `call` called `grace_seconds` after the last reader has left, unless another comes. A turn that nobody
        has read yet does not count as left."""
        self._gone = (grace_seconds, call)

    @property
    def _is_read(self) -> bool:
        return self._here > 0 or bool(self._elsewhere)

    def _change(self, here: int) -> None:
        was_read = self._is_read
        self._here += here
        self._note_change(was_read)

    def _note_change(self, was_read: bool) -> None:
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
    """A reader. `place` is that of its next event; events numbered up to `seen` are skipped."""

    place: int
    seen: int
    heard: Callable[[NumberedEvent], None]
    ended: Callable[[], None]


class LiveTurn(TurnFeed):
    """A turn whose events are published here. `grown` is called after every event."""

    def __init__(
        self, head: TurnHead, *, grown: Callable[[], None] | None = None, subscribers: Subscribers | None = None
    ) -> None:
        self.head = head
        self.subscribers = subscribers or Subscribers()
        self._grown = grown
        self._log = EventLog()
        self._followers: list[_Follower] = []

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
    def last_number(self) -> int:
        """0 without any event."""
        return self._log.last_number

    @property
    def has_ended(self) -> bool:
        return self._log.has_ended

    def publish(self, event: TurnEvent) -> None:
        """Append to the log and notify the readers. Raises RuntimeError after done or error."""
        place = len(self._log)
        self._log.append(event)
        numbered = NumberedEvent(self._log.last_number, event)
        for follower in tuple(self._followers):
            if follower.place == place and not self._log.has_ended:  # the usual case: it waits for this event
                follower.place += 1
                if numbered.number > follower.seen:
                    follower.heard(numbered)
            else:
                self._bring_up_to_date(follower)
        if self._grown:
            self._grown()

    def publish_recorded(self, events: Iterable[TurnEvent]) -> None:
        """Append events that were read from the system of record because the log lacks them."""
        self._log.go_on_from_record()
        for event in events:
            self.publish(event)

    def so_far(self, after: int = 0) -> list[NumberedEvent]:
        return list(self._log.since(self._log.place_after(after)))

    @contextmanager
    def followed(self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]) -> Iterator[None]:
        """Follow the turn while the block runs: `heard` gets each event numbered above `after`, then `ended` is called.
        A reader that has seen more events than the turn has gets INTERRUPTED. If `after` is a number of the record, the
        reader gets all events, because it is unknown where the record took over from the log."""
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


def head_of(stored: StoredTurn) -> TurnHead:
    return TurnHead(stored.id, stored.conversation_id, stored.fingerprint)


def replayed(stored: StoredTurn) -> LiveTurn:
    """An ended turn from the system of record. It has fewer events than the live turn, with the same content."""
    turn = LiveTurn(head_of(stored))
    turn.publish_recorded(rest_of(stored, []))
    return turn


def rest_of(stored: StoredTurn, known: list[TurnEvent]) -> Iterator[TurnEvent]:
    """The events of an ended turn after the events `known`."""
    if not known:
        yield Start(stored.id, stored.conversation_id)
    sent = "".join(event.token for event in known if isinstance(event, Token))
    if stored.answer.startswith(sent) and stored.answer != sent:
        yield Token(stored.answer[len(sent) :])
    if stored.state is TurnState.DONE and stored.message_id and stored.answered_by:
        if stored.citations and not any(isinstance(event, Citations) for event in known):
            yield Citations(stored.citations)
        if stored.confirmation and not any(isinstance(event, Confirm) for event in known):
            yield Confirm(stored.confirmation)
        yield Done(
            turn_id=stored.id,
            message_id=stored.message_id,
            answered_by=stored.answered_by,
            low_confidence=stored.low_confidence,
            confidence=stored.confidence or 0.0,
            finish=stored.finish or Finish.COMPLETE,
            next_questions=stored.next_questions,
        )
    else:
        yield replace(INTERRUPTED, code=stored.error_code or INTERRUPTED.code)
