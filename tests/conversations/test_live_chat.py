"""A live chat waits, is taken, and ends; one operator has it at a time."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from app.conversations.live_chat import OVERDUE_AFTER, LiveChat, LiveState, shown_name
from app.core.actor import READ, WRITE, Actor
from app.core.errors import ChatAlreadyTaken, NoActiveChat

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
CHAT = LiveChat(UUID(int=1), UUID(int=2), UUID(int=3))
WAITING = CHAT.requested(NOW)
ANN, BEN, CLEO, BEN_LEE = (
    Actor(UUID(int=9), f"{name}@example.com", frozenset((READ, WRITE)), UUID(int=number))
    for number, name in enumerate(("ann", "ben", "cleo", "ben.lee"), 10)
)
TALKING = WAITING.taken(ANN, "Ann", NOW)
ENDED = TALKING.ended(NOW)


def test_asking_opens_it_and_asking_again_changes_nothing() -> None:
    assert (CHAT.state, WAITING.state, WAITING.asked_at) == (LiveState.NONE, LiveState.WAITING, NOW)
    assert WAITING.requested(LATER) == WAITING
    assert TALKING.requested(LATER) == TALKING


def test_after_its_end_it_may_be_asked_for_anew_and_is_nobodys() -> None:
    again = ENDED.requested(LATER)
    assert (again.state, again.asked_at, again.taken_by, again.operator_name) == (LiveState.WAITING, LATER, "", "")
    assert (again.taken_at, again.ended_at) == (None, None)


def test_one_operator_has_it_and_another_is_told_who() -> None:
    assert (TALKING.taken_by, TALKING.operator_name, TALKING.taken_at) == (ANN.name, "Ann", NOW)
    assert TALKING.taken(ANN, "Ann", LATER) == TALKING
    for attempt in (
        lambda: TALKING.taken(BEN, "Ben", LATER),
        lambda: TALKING.check_talks(BEN),
        lambda: TALKING.handed_back(BEN, LATER, by_force=False),
    ):
        with pytest.raises(ChatAlreadyTaken, match=r"ann@example\.com has this chat"):
            attempt()


@pytest.mark.parametrize("chat", [CHAT, ENDED], ids=["never asked", "ended"])
def test_nobody_takes_or_answers_what_nobody_asked_for(chat: LiveChat) -> None:
    with pytest.raises(NoActiveChat):
        chat.taken(ANN, "Ann", NOW)
    with pytest.raises(NoActiveChat):
        chat.check_talks(ANN)


def test_nobody_answers_a_chat_before_they_have_taken_it() -> None:
    with pytest.raises(NoActiveChat, match="Take it over first"):
        WAITING.check_talks(ANN)


def test_its_operator_gives_it_to_another_and_who_may_force_it_as_well() -> None:
    for operator, by_force in ((ANN, False), (CLEO, True)):
        given = TALKING.transferred(operator, BEN_LEE, LATER, by_force=by_force)
        assert (given.state, given.taken_by, given.operator_name) == (
            LiveState.TALKING,
            "ben.lee@example.com",
            "Ben Lee",
        )
        assert given.taken_at == LATER
    assert TALKING.transferred(ANN, ANN, LATER, by_force=False) is TALKING
    with pytest.raises(ChatAlreadyTaken, match=r"ann@example\.com has this chat"):
        TALKING.transferred(BEN, BEN, LATER, by_force=False)
    with pytest.raises(NoActiveChat):
        WAITING.transferred(ANN, BEN, LATER, by_force=True)


def test_its_operator_hands_it_back_and_who_may_force_it_as_well() -> None:
    for back in (
        TALKING.handed_back(ANN, LATER, by_force=False),
        TALKING.handed_back(BEN, LATER, by_force=True),
        WAITING.handed_back(BEN, LATER, by_force=False),
    ):
        assert (back.state, back.ended_at) == (LiveState.ENDED, LATER)


def test_what_is_not_open_does_not_end_again() -> None:
    assert CHAT.ended(LATER) == CHAT
    assert ENDED.ended(LATER) == ENDED


def test_it_is_overdue_when_nobody_came_in_two_minutes() -> None:
    assert not WAITING.is_overdue(NOW + OVERDUE_AFTER)
    assert WAITING.is_overdue(NOW + OVERDUE_AFTER + timedelta(seconds=1))
    assert not TALKING.is_overdue(NOW + 2 * OVERDUE_AFTER)
    assert not CHAT.is_overdue(NOW)


def test_a_browser_looks_again_as_long_as_there_is_something_to_wait_for() -> None:
    assert [chat.poll_seconds(0) for chat in (CHAT, WAITING, TALKING, ENDED)] == [0, 4, 3, 0]


def test_a_browser_that_has_not_got_everything_looks_again_at_once() -> None:
    long = LiveChat(CHAT.id, CHAT.agent_id, CHAT.conversation_id, LiveState.ENDED, message_count=101)
    assert (0 < long.poll_seconds(100) < 1, long.poll_seconds(101)) == (True, 0)


@pytest.mark.parametrize(
    ("operator", "shown"),
    [
        ("ann@example.com", "Ann"),
        ("ann.lee@example.com", "Ann Lee"),
        ("ann_lee@example.com", "Ann Lee"),
    ],
)
def test_a_visitor_sees_no_address_of_an_operator(operator: str, shown: str) -> None:
    assert shown_name(Actor(UUID(int=9), operator, operator_id=UUID(int=10))) == shown


@pytest.mark.parametrize("name", ["crm sync (staging)", "ann@example.com"])
def test_a_visitor_sees_no_name_of_a_token(name: str) -> None:
    assert shown_name(Actor(UUID(int=9), name, token_id=UUID(int=10))) == ""
