"""A live chat: a visitor has asked for a person, and an operator answers instead of the agent."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import ChatAlreadyTaken, InvalidInput, NoActiveChat
from app.core.field_rules import MAX_QUESTION_CHARS
from app.core.setting import at_most, required

OVERDUE_AFTER: Final = timedelta(minutes=2)
MAX_TEXT_CHARS: Final = MAX_QUESTION_CHARS
TEXT: Final = required(MAX_TEXT_CHARS, rows=4)
MAX_NAME_CHARS: Final = 100
NAME: Final = at_most(MAX_NAME_CHARS)
MESSAGES_AT_ONCE: Final = 100
MAX_PICTURES: Final = 20  # of each side of a conversation
_POLL_SECONDS: Final = {"waiting": 4.0, "talking": 3.0}
_SOON_SECONDS: Final = 0.2  # there is more than was returned at once


class LiveState(StrEnum):
    NONE = "none"  # nobody ever asked for a person
    WAITING = "waiting"  # nobody has come yet: the agent still answers
    TALKING = "talking"  # an operator is there: the agent is silent
    ENDED = "ended"  # handed back, or left by the visitor


OPEN_STATES: Final = (LiveState.WAITING, LiveState.TALKING)


class Author(StrEnum):
    VISITOR = "visitor"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class LivePicture:
    """Width and height are in pixels. `body` is a WebP, None if only the size was read."""

    width: int
    height: int
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class LiveMessage:
    """The sender chooses `id`, so that a repeated request adds nothing. If the message is a `picture`, `text` is
    PICTURE_TEXT, for places that show only texts."""

    PICTURE_TEXT: ClassVar[str] = "[Picture]"

    id: UUID
    number: Annotated[int, "Counted from 1 in each conversation."]
    author: Author
    name: Annotated[str | None, "The operator's name; null for the visitor."]
    text: str
    created_at: datetime
    picture: LivePicture | None = None

    def showing(self, width: int, height: int, body: bytes | None) -> "LiveMessage":
        return replace(self, picture=LivePicture(width, height, body))


@dataclass(frozen=True, slots=True)
class LiveChat:
    """The only live chat of a conversation; after its end, it can be requested again. `taken_by_id` is the account of
    `taken_by`, None for an API token. `asked_at` is the time of the latest request for a person, `handed_over_at` of
    the first one; `handed_over_turn_id` is the turn before or with that, None without one. `rating` is the visitor's
    latest rating of the chat with a person."""

    id: UUID
    agent_id: UUID
    conversation_id: UUID
    state: LiveState = LiveState.NONE
    asked_at: datetime | None = None
    handed_over_at: datetime | None = None
    handed_over_turn_id: UUID | None = None
    taken_by: Annotated[str, "The operator or API token that answers, or answered last."] = ""
    taken_by_id: UUID | None = None
    operator_name: Annotated[str, "The operator's name as the visitor sees it."] = ""
    taken_at: datetime | None = None
    ended_at: datetime | None = None
    message_count: int = 0
    rating: Literal["up", "down"] | None = None
    rated_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    def is_overdue(self, now: datetime) -> bool:
        """Whether nobody has come for longer than a visitor should wait."""
        return self.state is LiveState.WAITING and self.asked_at is not None and now - self.asked_at > OVERDUE_AFTER

    def poll_seconds(self, seen: int) -> float:
        """Seconds until a browser that has the messages up to number `seen` should poll again; 0 for never."""
        return _SOON_SECONDS if seen < self.message_count else _POLL_SECONDS.get(self.state.value, 0.0)

    def requested(self, now: datetime, turn_id: UUID | None = None) -> "LiveChat":
        """The chat with a waiting visitor; an open chat stays unchanged. `turn_id` is the conversation's latest
        turn."""
        if self.is_open:
            return self
        is_first = self.handed_over_at is None
        return replace(
            self,
            state=LiveState.WAITING,
            asked_at=now,
            handed_over_at=self.handed_over_at or now,
            handed_over_turn_id=turn_id if is_first else self.handed_over_turn_id,
            taken_by="",
            taken_by_id=None,
            operator_name="",
            taken_at=None,
            ended_at=None,
        )

    def is_with(self, actor: Actor) -> bool:
        """Whether this operator has the chat, or had it last."""
        return (self.taken_by_id, self.taken_by) == (actor.operator_id, actor.name)

    def taken(self, actor: Actor, name: str, now: datetime) -> "LiveChat":
        """The chat, taken over by the actor. Raises ChatAlreadyTaken while another operator has it, NoActiveChat if
        nobody waits."""
        if self.state is LiveState.TALKING and self.is_with(actor):
            return self
        self._refuse_others(actor)
        if self.state is not LiveState.WAITING:
            raise NoActiveChat("No visitor is waiting in this chat: it has ended, or nobody asked for a person.")
        return self._with(actor, name, now)

    def check_talks(self, actor: Actor) -> None:
        """Raises ChatAlreadyTaken while another operator has the chat, NoActiveChat if nobody has."""
        self._refuse_others(actor)
        if self.state is not LiveState.TALKING:
            raise NoActiveChat("Nobody has taken over this chat. Take it over first.")

    def transferred(self, actor: Actor, to: Actor, now: datetime, *, by_force: bool) -> "LiveChat":
        """`to` answers from now on. Raises ChatAlreadyTaken while another operator has it, except `by_force`;
        NoActiveChat if nobody has."""
        if not by_force:
            self._refuse_others(actor)
        if self.state is not LiveState.TALKING:
            raise NoActiveChat("Nobody has taken over this chat. Take it over first.")
        return self if self.is_with(to) else self._with(to, shown_name(to)[:MAX_NAME_CHARS], now)

    def handed_back(self, actor: Actor, now: datetime, *, by_force: bool) -> "LiveChat":
        """The agent answers again. Raises ChatAlreadyTaken while another operator has it, except `by_force`."""
        if not by_force:
            self._refuse_others(actor)
        return self.ended(now)

    def ended(self, now: datetime) -> "LiveChat":
        return replace(self, state=LiveState.ENDED, ended_at=now) if self.is_open else self

    def check_takes_picture(self, sent: int) -> None:
        """`sent` is the number of pictures from this side so far. Raises NoActiveChat unless an operator has the chat,
        and InvalidInput for too many."""
        if self.state is not LiveState.TALKING:
            raise NoActiveChat("No person is in this chat yet. Send a picture once somebody has taken over.")
        if sent >= MAX_PICTURES:
            raise InvalidInput("picture", f"A conversation can have at most {MAX_PICTURES} pictures.")

    def check_talked(self) -> None:
        """Raises NoActiveChat if no operator has come since a person was asked for."""
        if self.taken_at is None:
            raise NoActiveChat("No person has answered in this chat, so there is nothing to rate.")

    def _with(self, actor: Actor, name: str, now: datetime) -> "LiveChat":
        return replace(
            self,
            state=LiveState.TALKING,
            taken_by=actor.name,
            taken_by_id=actor.operator_id,
            operator_name=name,
            taken_at=now,
        )

    def _refuse_others(self, actor: Actor) -> None:
        if self.state is LiveState.TALKING and not self.is_with(actor):
            raise ChatAlreadyTaken(f"{self.taken_by} has this chat. They can hand it back; so can an admin.")


@dataclass(frozen=True, slots=True)
class OpenChat:
    chat: LiveChat
    agent_name: str
    first_question: Annotated[str, "The first question of the conversation; empty if the agent was asked nothing."]
    latest_text: Annotated[str, "The latest live message; empty if there is none."]
    visitor_id: UUID
    user_id: Annotated[str | None, "The visitor's id on the website, signed by its server."] = None

    @property
    def title(self) -> str:
        """What the chat is about, for lists; "" before any words."""
        latest = "Sent a picture" if self.latest_text == LiveMessage.PICTURE_TEXT else self.latest_text
        return latest or self.first_question


def shown_name(actor: Actor) -> str:
    """An operator's name for visitors, derived from the e-mail address: "ann.lee@example.com" becomes Ann Lee. "" for
    an API token, whose name is internal: the widget then shows its word for the team."""
    return " ".join(actor.address.partition("@")[0].replace("_", ".").split(".")).title().strip()
