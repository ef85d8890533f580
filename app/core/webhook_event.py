"""The events of an agent, which are delivered to an operator's server and to people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, cast
from uuid import UUID

TURN: Final = "turn."
_GAP: Final = "gap.seen"


class WebhookEvent(str):
    """The name of an event. As a field of a model, only one that is declared is valid."""

    __slots__ = ()

    TURN_FINISHED: ClassVar[WebhookEvent]
    GAP_DETECTED: ClassVar[WebhookEvent]
    GAP_GROWN: ClassVar[WebhookEvent]
    GAPS_WEEKLY: ClassVar[WebhookEvent]
    PERSON_ASKED: ClassVar[WebhookEvent]
    CONVERSATION_ASSIGNED: ClassVar[WebhookEvent]
    OPERATOR_MENTIONED: ClassVar[WebhookEvent]
    SOURCE_FAILED: ClassVar[WebhookEvent]
    BUDGET_NEAR: ClassVar[WebhookEvent]
    BUDGET_SPENT: ClassVar[WebhookEvent]

    @property
    def value(self) -> str:
        return str(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Read when a model is first used: by then all features are known."""
        return handler.generate_schema(_enum_of(tuple(event.name for event in declared_events())))


@cache
def _enum_of(names: tuple[str, ...]) -> Any:
    return cast(Any, StrEnum)("WebhookEvent", [(name, name) for name in names])


@dataclass(frozen=True, slots=True)
class NoticeText:
    """Of a notice to people about an event: its subject, a text, the path of a page where something can be done about
    it, and the text of the link to that. Braces contain the agent's name, the path of its pages, and the outbox's
    values. `of_one` are subject and text if the event is about one thing alone."""

    subject: str
    text: str
    path: str
    action: str
    of_one: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """`words` continue "when". Events are listed by `place`. `sent` are the names of the outbox's values that webhooks
    get besides those of every event. `notice` is None if people get none."""

    name: WebhookEvent
    words: str
    place: int
    sent: tuple[str, ...] = ()
    notice: NoticeText | None = None


@dataclass(frozen=True, slots=True)
class News:
    """An event of an agent in the outbox: `kind` is the outbox's own, `payload` has ids and figures."""

    id: UUID
    agent_id: UUID
    kind: str
    payload: Mapping[str, Any]
    happened_at: datetime

    def is_wanted(self, events: Collection[str], since: datetime) -> bool:
        """For somebody who has subscribed to these events `since` then."""
        return since <= self.happened_at and event_of(self.kind) in events


def event_of(kind: str) -> WebhookEvent:
    """The event for an outbox row of that kind: "turn.done", "turn.failed", "turn.cut", "gap.seen", or an event's own
    name, which that of a limit may follow after a colon."""
    if kind.startswith(TURN):
        return WebhookEvent.TURN_FINISHED
    return WebhookEvent.GAP_DETECTED if kind == _GAP else WebhookEvent(kind.partition(":")[0])


_DECLARED: Final[dict[str, Event]] = {}


def declare_events(events: Iterable[Event]) -> None:
    """Raises ValueError for a second declaration of a name."""
    for event in events:
        if _DECLARED.setdefault(event.name, event) != event:
            raise ValueError(f'The event "{event.name}" is declared twice.')


def declared_events() -> list[Event]:
    """In the order in which they are listed."""
    return sorted(_DECLARED.values(), key=lambda event: event.place)


def declared_event(name: str) -> Event | None:
    """None for an event of a feature that is not there any more."""
    return _DECLARED.get(name)


def _declare_core() -> None:
    """Features declare the others, in the places that are left."""
    of_core = (
        ("TURN_FINISHED", "turn.finished", 0, "an answer finishes, fails or is cut off"),
        ("GAP_DETECTED", "gap.detected", 10, "a question could not be answered"),
        ("GAP_GROWN", "gap.grown", 20, "a gap is new, or was asked 5, 20 or 100 times"),
        ("GAPS_WEEKLY", "gaps.weekly", 30, "a week ends, with a summary of its gaps"),
        ("PERSON_ASKED", "conversation.person_asked", 40, "a visitor is waiting for a person"),
        ("CONVERSATION_ASSIGNED", "conversation.assigned", 60, "a conversation is assigned"),
        ("OPERATOR_MENTIONED", "conversation.mentioned", 70, "a note mentions an operator"),
        ("SOURCE_FAILED", "source.failed", 90, "a source could not be read"),
        ("BUDGET_NEAR", "budget.near", 100, "four fifths of a day's or a month's tokens are used"),
        ("BUDGET_SPENT", "budget.spent", 110, "all of a day's or a month's tokens are used"),
    )
    for attribute, name, place, words in of_core:
        setattr(WebhookEvent, attribute, WebhookEvent(name))
        declare_events([Event(WebhookEvent(name), words, place)])


_declare_core()
