"""What a turn has said is kept small, and comes out as it went in."""

import tracemalloc
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.turn import AnsweredBy, Finish
from app.core.turn_events import FIRST_RECORD_NUMBER, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.turns.live_turn import EventLog

_DONE = Done(uuid4(), uuid4(), AnsweredBy.MODEL, False, 0.9, Finish.COMPLETE)

_said = st.lists(
    st.one_of(
        st.text(max_size=8).map(Token),
        st.sampled_from([Status("searching"), Status("reading"), Status("writing")]),
        st.builds(Start, st.uuids(), st.uuids()),
    ),
    max_size=30,
)
_seen = st.one_of(st.integers(0, 40), st.integers(FIRST_RECORD_NUMBER - 1, FIRST_RECORD_NUMBER + 40))


def a_log(said: list[TurnEvent], recorded: list[TurnEvent]) -> tuple[EventLog, list[NumberedEvent]]:
    """The log, and what should come out of it."""
    log = EventLog()
    for event in said:
        log.append(event)
    if recorded:
        log.go_on_from_record()
    for event in recorded:
        log.append(event)
    numbered = [NumberedEvent(number, event) for number, event in enumerate(said, 1)]
    numbered += [NumberedEvent(number, event) for number, event in enumerate(recorded, FIRST_RECORD_NUMBER)]
    return log, numbered


@given(_said, _said, st.sampled_from([[], [_DONE]]), _seen)
def test_whoever_has_seen_a_number_gets_all_events_above_it_in_order(
    said: list[TurnEvent], recorded: list[TurnEvent], end: list[TurnEvent], seen: int
) -> None:
    log, numbered = a_log(said, recorded + end) if recorded else a_log(said + end, [])

    assert list(log.since(log.place_after(seen))) == [event for event in numbered if event.number > seen]
    assert log.last_number == (numbered[-1].number if numbered else 0)
    assert len(log) == len(numbered)


@pytest.mark.parametrize("last", [_DONE, Error("internal", "Something went wrong.", retryable=True)])
def test_done_or_an_error_ends_it_and_what_was_said_stays(last: TurnEvent) -> None:
    said: list[TurnEvent] = [Start(uuid4(), uuid4()), Token("a "), Status("writing"), Token(""), Token("bc")]
    log, before = a_log(said, [])
    assert not log.has_ended

    log.append(last)

    assert log.has_ended
    assert list(log.since(0)) == [*before, NumberedEvent(6, last)]
    with pytest.raises(RuntimeError):
        log.append(Token("d"))


def test_a_token_takes_little_memory_and_hardly_any_once_the_turn_has_ended() -> None:
    count = 10_000
    tracemalloc.start()
    try:
        log = EventLog()
        for number in range(count):
            log.append(Token(f"word{number} "))
        taken, _ = tracemalloc.get_traced_memory()
        log.append(_DONE)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert taken / count < 100
    assert kept / count < 25
