"""What was asked of the agent and what people wrote to each other, in the order in which it happened."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversations.live_chat import MAX_TEXT_CHARS, Author, LiveMessage
from app.conversations.records.stored_turns import past_exchanges
from app.core.turn import Exchange
from tests.every_row import every_row

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Turn = tuple[datetime, Exchange]


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def turn(second: int, name: str) -> Turn:
    return at(second), Exchange(f"{name}?", f"{name}!")


def visitor(second: int, text: str) -> LiveMessage:
    return LiveMessage(uuid4(), second, Author.VISITOR, None, text, at(second))


def person(second: int, text: str) -> LiveMessage:
    return LiveMessage(uuid4(), second, Author.OPERATOR, "Ann", text, at(second))


def talk(question: str, answer: str) -> Exchange:
    return Exchange(question, answer, is_with_person=True)


@every_row(
    ("messages", "told"),
    [
        pytest.param([], [], id="nobody wrote"),
        pytest.param([visitor(1, "Hello?")], [talk("Hello?", "")], id="nobody came"),
        pytest.param([person(1, "Hi, I am Ann.")], [talk("", "Hi, I am Ann.")], id="the person began"),
        pytest.param(
            [visitor(1, "Hello?"), visitor(2, "A lamp?"), person(3, "Hi."), person(4, "The tall one.")],
            [talk("Hello?\nA lamp?", "Hi.\nThe tall one.")],
            id="short lines",
        ),
        pytest.param(
            [visitor(1, "A lamp?"), person(2, "The tall one."), visitor(3, "Thanks."), person(4, "Bye.")],
            [talk("A lamp?", "The tall one."), talk("Thanks.", "Bye.")],
            id="to and fro",
        ),
    ],
)
def test_what_a_visitor_and_then_a_person_wrote_is_one_exchange(
    messages: list[LiveMessage], told: list[Exchange]
) -> None:
    assert past_exchanges([], messages, 6) == told


def test_a_turn_between_two_messages_parts_them() -> None:
    past = past_exchanges([turn(2, "price"), turn(5, "size")], [visitor(1, "Anybody?"), person(3, "Here.")], 6)
    assert past == [talk("Anybody?", ""), turn(2, "price")[1], talk("", "Here."), turn(5, "size")[1]]


def test_either_side_keeps_its_latest_words() -> None:
    [past] = past_exchanges([], [visitor(n, f"{n}" * (MAX_TEXT_CHARS - 1)) for n in (1, 2)], 6)
    assert len(past.question) == MAX_TEXT_CHARS
    assert past.question.endswith("2" * (MAX_TEXT_CHARS - 1))


_HAPPENED = st.lists(st.sampled_from(["turn", "visitor", "person"]), max_size=30)


@given(_HAPPENED, st.integers(1, 40))
def test_everything_is_told_once_in_its_order_and_the_latest_of_it_where_there_is_too_much(
    happened: list[str], limit: int
) -> None:
    turns = [turn(n, f"{n}") for n, what in enumerate(happened) if what == "turn"]
    messages = [
        (visitor if what == "visitor" else person)(n, f"{n}") for n, what in enumerate(happened) if what != "turn"
    ]
    whole = past_exchanges(turns, messages, len(happened) + 1)
    told = [
        word
        for past in whole
        for word in ([past.question[:-1]] if not past.is_with_person else f"{past.question}\n{past.answer}".split())
    ]
    assert told == [str(n) for n in range(len(happened))]
    assert all(past.question or past.answer for past in whole)
    assert past_exchanges(turns, messages, limit) == whole[-limit:]


@given(st.lists(st.integers(0, 9), max_size=10), st.lists(st.integers(0, 9), max_size=10))
def test_clocks_that_disagree_change_the_order_of_no_side(asked_at: list[int], written_at: list[int]) -> None:
    turns = [(at(second), Exchange(f"{n}", "!")) for n, second in enumerate(asked_at)]
    messages = [visitor(second, f"{n}") for n, second in enumerate(written_at)]
    past = past_exchanges(turns, messages, 20)
    assert [each.question for each in past if not each.is_with_person] == [f"{n}" for n in range(len(turns))]
    written = "\n".join(each.question for each in past if each.is_with_person)
    assert written.split() == [f"{n}" for n in range(len(messages))]
