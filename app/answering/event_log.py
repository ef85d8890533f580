"""A turn's numbered events, kept small: thousands of turns stay readable for ten minutes after they have ended."""

from bisect import bisect_right
from collections.abc import Iterator

from app.domain.turn_events import FIRST_RECORD_NUMBER, Done, Error, NumberedEvent, Token, TurnEvent


class EventLog:
    """Events in their order: those of the turn numbered from 1, those of the system of record after them from
    FIRST_RECORD_NUMBER. A place is an index into both.

    A token is kept as its bare text, a fifth of what it takes as a numbered event, and nothing that the garbage
    collector has to look at.
    """

    def __init__(self) -> None:
        self._events: list[TurnEvent | str] = []
        self._recorded_from: int | None = None  # the place of the first event of the record

    def __len__(self) -> int:
        return len(self._events)

    @property
    def last_number(self) -> int:
        """0 without any event."""
        return self._number(len(self._events) - 1) if self._events else 0

    @property
    def has_ended(self) -> bool:
        """Nothing follows done or error."""
        return bool(self._events) and isinstance(self._events[-1], Done | Error)

    def append(self, event: TurnEvent) -> None:
        self._events.append(event.token if isinstance(event, Token) else event)

    def go_on_from_record(self) -> None:
        """What follows has the record's numbers."""
        if self._recorded_from is None:
            self._recorded_from = len(self._events)

    def at(self, place: int) -> NumberedEvent:
        event = self._events[place]
        return NumberedEvent(self._number(place), Token(event) if isinstance(event, str) else event)

    def since(self, place: int) -> Iterator[NumberedEvent]:
        return (self.at(each) for each in range(place, len(self._events)))

    def place_after(self, number: int) -> int:
        """Where the events above that number begin."""
        return bisect_right(range(len(self._events)), number, key=self._number)

    def _number(self, place: int) -> int:
        recorded_from = self._recorded_from
        if recorded_from is None or place < recorded_from:
            return place + 1
        return FIRST_RECORD_NUMBER + place - recorded_from
