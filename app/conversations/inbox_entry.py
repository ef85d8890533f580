"""A conversation as operators work on it: what became of it, whose it is, what it is called."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from app.conversations.conversation import Conversation, Visitor
from app.core.turn import AnsweredBy, TurnState

MAX_AT_ONCE: Final = 200  # conversations that one change may name
MAX_LABELS: Final = 20  # of one conversation
MAX_LABEL_CHARS: Final = 40
MAX_NOTE_CHARS: Final = 4000
MAX_NOTES: Final = 100  # of one conversation
LISTED_OF_VISITOR: Final = 6  # conversations, and pages


class Outcome(StrEnum):
    """What became of a question, as the figures of an agent count it."""

    ANSWERED = "answered"  # by an answer that was sure of itself
    UNANSWERED = "unanswered"  # nothing was found, or too little
    HANDED_OVER = "handed_over"  # a person was asked for, by a question or by the button
    FAILED = "failed"  # with an error or with the process


class ConversationState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"  # by an operator, and nothing has happened in it since


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """`outcome` is the first that occurred of handed over, unanswered, failed, answered; None where nothing was asked,
    or not answered yet. `rating` is "down" where one answer got that thumb. Page and language are of the latest turn
    that has one. `user_id` is set for a visitor whom the website has named."""

    conversation: Conversation
    labels: tuple[str, ...] = ()
    outcome: Outcome | None = None
    rating: Literal["up", "down"] | None = None
    page_url: str = ""
    language: str | None = None
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What an operator wrote about a conversation, for the others: no visitor sees it and no model reads it."""

    id: UUID
    author: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The conversations before and after one in a list, None at its ends."""

    previous: UUID | None = None
    next: UUID | None = None


@dataclass(frozen=True, slots=True)
class VisitorFacts:
    """What is known of a visitor: `conversations` are the latest in which they asked, of `conversation_count`; `pages`
    are those on which they asked last, the latest first."""

    visitor: Visitor
    first_seen_at: datetime
    conversation_count: int
    turn_count: int
    conversations: Sequence[Conversation]
    pages: Sequence[str]


@dataclass(frozen=True, slots=True)
class LabelCount:
    label: str
    conversations: int


@dataclass(frozen=True, slots=True)
class ConversationChange:
    """What is None stays as it is. `assignee` is an operator's e-mail address, "" for nobody."""

    state: ConversationState | None = None
    assignee: str | None = None
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()


def outcome_of_turn(state: TurnState, answered_by: AnsweredBy | None, *, is_low: bool) -> Outcome | None:
    """None for what still runs, and for what was no question."""
    if state is TurnState.RUNNING or answered_by is AnsweredBy.SMALL_TALK:
        return None
    if state is not TurnState.DONE:
        return Outcome.FAILED
    if answered_by is AnsweredBy.HANDOFF:
        return Outcome.HANDED_OVER
    return Outcome.UNANSWERED if is_low or answered_by is AnsweredBy.FALLBACK else Outcome.ANSWERED


def worst(outcomes: Collection[Outcome | None]) -> Outcome | None:
    """What an operator should see of several."""
    order = (Outcome.HANDED_OVER, Outcome.UNANSWERED, Outcome.FAILED, Outcome.ANSWERED)
    return next((outcome for outcome in order if outcome in outcomes), None)
