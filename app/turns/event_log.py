"""A turn's numbered events in compact form: thousands of turns stay readable for ten minutes after they have ended."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from app.core.turn_events import FIRST_RECORD_NUMBER, Done, Error, NumberedEvent, Token, TurnEvent


class EventLog:
    """Events in order: those of the turn, numbered from 1, then those from the system of record, numbered from
    FIRST_RECORD_NUMBER. A place is an index into both.

    Tokens are kept as bare texts, and as a single text once the turn has ended: some 12 bytes a token instead of 340.
    """

    def __init__(self) -> None:
        self._texts: list[str] | _JoinedTexts = []  # of the tokens, in order
        self._others: list[TurnEvent] = []
        self._other_places: list[int] = []
        self._recorded_from: int | None = None  # place of the first event from the record

    def __len__(self) -> int:
        return len(self._texts) + len(self._others)

    @property
    def has_ended(self) -> bool:
        """Whether it ends with done or error, which nothing follows."""
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
        """Give the following events the record's numbers."""
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
        """The place of the first event above that number."""
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
