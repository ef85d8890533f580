"""A conversation between one visitor and one agent, and its state for operators: outcome, assignee, labels, and filters
for finding it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, Literal
from uuid import UUID

from app.agents.signed_user import MAX_USER_ID_CHARS
from app.conversations.visitor_facts import VisitorDevice
from app.core.confirmation import Confirmation
from app.core.field_rules import MAX_EMAIL_CHARS
from app.core.setting import at_most, required
from app.core.turn import AnsweredBy, Channel, Citation, Finish, TurnState
from app.core.visitor_attribute import VisitorAttribute

RESUME_WITHIN = timedelta(hours=24)
MESSAGES_AT_ONCE = 30


class Role(StrEnum):
    VISITOR = "visitor"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that has asked, or a person whom the website's server has identified by `user_id`.

    `anonymous_id` is a random id that the browser keeps. It never leads to an identified person. It is a secret of the
    visitor, because anyone who has it is taken for them. `attributes` are the latest ones, sorted by name.
    """

    id: UUID
    agent_id: UUID
    anonymous_id: UUID
    user_id: Annotated[str | None, "The visitor's id on the website, signed by its server."] = None
    attributes: Annotated[tuple[VisitorAttribute, ...], "The latest attributes that the website sent."] = ()


class ConversationState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"  # by an operator, without activity since


@dataclass(frozen=True, slots=True)
class Conversation:
    """`closed_at` is when an operator closed it; later activity opens it again."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    created_at: datetime
    last_active_at: datetime
    turn_count: int = 0
    first_question: str = ""
    channel: Annotated[Channel, "Where the conversation took place."] = Channel.WIDGET
    assignee: Annotated[str, "The e-mail address of the assigned operator; empty if nobody is assigned."] = ""
    closed_at: datetime | None = None
    device: Annotated[
        VisitorDevice | None, "The device on which the conversation began, if the agent's `visitor_device` was on."
    ] = None

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None and self.closed_at >= self.last_active_at

    @property
    def state(
        self,
    ) -> Annotated[ConversationState, "A closed conversation reopens when something happens in it."]:
        return ConversationState.CLOSED if self.is_closed else ConversationState.OPEN


@dataclass(frozen=True, slots=True)
class Message:
    """One bubble. Only the agent's messages have more than a text."""

    id: UUID
    turn_id: UUID
    role: Role
    text: str
    created_at: datetime
    citations: tuple[Citation, ...] = ()
    answered_by: AnsweredBy | None = None
    low_confidence: bool = False
    finish: Finish | None = None
    error_code: Annotated[str | None, "Why the answer broke off: its text is a part of it."] = None
    next_questions: Annotated[tuple[str, ...], "Questions to offer below the answer, at most three."] = ()
    rating: Annotated[Literal["up", "down"] | None, "The visitor's rating of the answer."] = None
    confirmation: Annotated[Confirmation | None, "What the answer asks the visitor to confirm."] = None


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages of whole turns, oldest first, and whether there are earlier ones."""

    messages: Sequence[Message] = ()
    has_earlier: bool = False


MAX_AT_ONCE: Final = 200  # conversations in one change
CHOSEN: Final = required(MAX_AT_ONCE)
MAX_LABELS: Final = 20  # of one conversation
LABEL: Final = at_most(40)
NOTE: Final = at_most(4000, rows=3)
MAX_NOTES: Final = 100  # of one conversation
LISTED_OF_VISITOR: Final = 6  # conversations, pages, and contacts


class Outcome(StrEnum):
    """The outcome of a question, as an agent's figures count it."""

    ANSWERED = "answered"  # with enough confidence
    UNANSWERED = "unanswered"  # nothing or too little was found
    HANDED_OVER = "handed_over"  # a person was asked for, by a question or by the button
    FAILED = "failed"  # with an error or with the process

    @property
    def in_words(self) -> str:
        return "not answered" if self is Outcome.UNANSWERED else self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A conversation in the inbox. `turns_so` is the number of its turns with `outcome`."""

    conversation: Conversation
    labels: tuple[str, ...] = ()
    outcome: Annotated[
        Outcome | None,
        "The first of these that occurred, in this order: handed_over, unanswered, failed, answered. "
        "Null if nothing was asked or answered yet.",
    ] = None
    turns_so: int = 0
    rating: Annotated[
        Literal["up", "down"] | None, "The visitor's thumb; down if at least one answer was rated down."
    ] = None
    page_url: Annotated[str, "The page of the latest turn."] = ""
    language: Annotated[str | None, "The language of the latest turn."] = None
    user_id: Annotated[str | None, "The visitor's id on the website, signed by its server."] = None


@dataclass(frozen=True, slots=True)
class Note:
    """An operator's note on a conversation for the other operators: no visitor sees it and no model reads it."""

    id: UUID
    author: Annotated[str, "The operator or API token that wrote the note."]
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The conversations before and after one in a list, None at the ends."""

    previous: UUID | None = None
    next: UUID | None = None


@dataclass(frozen=True, slots=True)
class LeftContact:
    """How to reach a visitor, with the message that they left."""

    name: str
    email: str
    message: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VisitorFacts:
    """`conversations` are the visitor's latest ones with a question, of `conversation_count`; `pages` are those on
    which they last asked, and `contacts` what they left, latest first."""

    visitor: Visitor
    first_seen_at: datetime
    conversation_count: int
    turn_count: int
    conversations: Sequence[Conversation]
    pages: Sequence[str]
    contacts: Sequence[LeftContact]


@dataclass(frozen=True, slots=True)
class LabelCount:
    label: str
    conversations: Annotated[int, "Number of conversations with the label."]


@dataclass(frozen=True, slots=True)
class ConversationChange:
    """None leaves a value unchanged."""

    state: Annotated[ConversationState | None, "A closed conversation reopens when something happens in it."] = None
    assignee: Annotated[str | None, at_most(MAX_EMAIL_CHARS), 'The e-mail address of an operator; "" for nobody.'] = (
        None
    )
    add_labels: Annotated[
        tuple[str, ...], at_most(MAX_LABELS), "A label that differs from an existing one only in case becomes that one."
    ] = ()
    remove_labels: Annotated[tuple[str, ...], at_most(MAX_LABELS)] = ()


def outcome_of_turn(state: TurnState, answered_by: AnsweredBy | None, *, is_low: bool) -> Outcome | None:
    """The outcome of one turn; None while it runs, for small talk, and for a clarifying question."""
    if state is TurnState.RUNNING or answered_by in (AnsweredBy.SMALL_TALK, AnsweredBy.CLARIFICATION):
        return None
    if state is not TurnState.DONE:
        return Outcome.FAILED
    if answered_by is AnsweredBy.HANDOFF:
        return Outcome.HANDED_OVER
    return Outcome.UNANSWERED if is_low or answered_by is AnsweredBy.FALLBACK else Outcome.ANSWERED


def worst(outcomes: Collection[Outcome | None]) -> Outcome | None:
    """The outcome that needs an operator's attention most; None without any."""
    order = (Outcome.HANDED_OVER, Outcome.UNANSWERED, Outcome.FAILED, Outcome.ANSWERED)
    return next((outcome for outcome in order if outcome in outcomes), None)


MAX_WORDS = 8
MAX_TEXT_CHARS = 200
NOBODY: Final = "nobody"  # not an e-mail address


def words_of(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))[:MAX_WORDS]


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Conversations with a single turn that meets all conditions on turns. `text` is words that must all occur in its
    question or answer, and `page_url` a part of the address at which it was asked, both anywhere and in any case;
    `since` and `until` limit when it was asked. Conditions on the conversation itself: `visitor_id`, `user_id`,
    `state`, `label`, `assignee`, and whether a person was asked for."""

    text: Annotated[
        str,
        at_most(MAX_TEXT_CHARS, rows=2),
        f"Words, at most {MAX_WORDS}, that must all occur in a question or its answer.",
    ] = ""
    is_low: Annotated[bool | None, "Whether an answer had low confidence."] = None
    is_unconfirmed: Annotated[
        bool | None, "Whether a chat model's answer has sentences that the sources do not confirm."
    ] = None
    rating: Annotated[Literal["up", "down"] | None, "The visitor's thumb."] = None
    answered_by: AnsweredBy | None = None
    since: Annotated[datetime | None, "Asked at this time or later."] = None
    until: Annotated[datetime | None, "Asked before this time."] = None
    outcome: Annotated[Outcome | None, "The outcome of a question; handed_over: a person was asked for."] = None
    page_url: Annotated[str, at_most(MAX_TEXT_CHARS), "Part of the address of the page."] = ""
    language: Annotated[str | None, 'Such as "en".'] = None
    visitor_id: UUID | None = None
    user_id: Annotated[str | None, at_most(MAX_USER_ID_CHARS), "The visitor's id on the website."] = None
    assignee: Annotated[str | None, at_most(MAX_EMAIL_CHARS), f"An operator's e-mail address, or `{NOBODY}`."] = None
    label: Annotated[str | None, LABEL] = None
    state: ConversationState | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return words_of(self.text)


EVERY_CONVERSATION = ConversationFilter()


def by_assignee(was: Mapping[UUID, str]) -> Mapping[str, Sequence[UUID]]:
    """Conversation ids by the assignee to restore, from an assignee per id. NOBODY becomes ""."""
    found: dict[str, list[UUID]] = {}
    for conversation_id, assignee in was.items():
        found.setdefault("" if assignee == NOBODY else assignee, []).append(conversation_id)
    return found
