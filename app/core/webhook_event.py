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
    """The name of an event. A pydantic field of this type accepts only declared events."""

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
        """pydantic calls this when it first uses the model: by then all features have declared their events."""
        return handler.generate_schema(_enum_of(tuple(event.name for event in declared_events())))


@cache
def _enum_of(names: tuple[str, ...]) -> Any:
    return cast(Any, StrEnum)("WebhookEvent", [(name, name) for name in names])


@dataclass(frozen=True, slots=True)
class NoticeText:
    """The templates of a notice to people about an event. `path` is the page where they can act on it, `action` the
    text of the link to that page. Placeholders in braces are the agent's name, the path of its pages and the values in
    the outbox. `of_one` is (subject, text) for an event about a single thing."""

    subject: str
    text: str
    path: str
    action: str
    of_one: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """`words` describe the event after "when". `place` orders lists of events. `sent` names the outbox's values that
    webhooks receive in addition to those of every event. `notice` is None if people receive none. An operator has to
    act on an urgent event: forms subscribe to it by default."""

    name: WebhookEvent
    words: str
    place: int
    sent: tuple[str, ...] = ()
    notice: NoticeText | None = None
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """An agent's event in the outbox. `kind` is the outbox's own kind (see `event_of`); `payload` has ids and
    figures."""

    id: UUID
    agent_id: UUID
    kind: str
    payload: Mapping[str, Any]
    happened_at: datetime

    def is_wanted(self, events: Collection[str], since: datetime) -> bool:
        """Whether a subscriber to `events` since the time `since` receives this event."""
        return since <= self.happened_at and event_of(self.kind) in events


def event_of(kind: str) -> WebhookEvent:
    """The event for an outbox row of this kind: "turn.done", "turn.failed", "turn.cut", "gap.seen", or the name of an
    event, optionally followed by a colon and the name of a limit."""
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
    """All declared events, ordered by `place`."""
    return sorted(_DECLARED.values(), key=lambda event: event.place)


def urgent_events() -> list[WebhookEvent]:
    return [event.name for event in declared_events() if event.is_urgent]


def declared_event(name: str) -> Event | None:
    """The event with this name; None if it belonged to a feature that was removed."""
    return _DECLARED.get(name)


def _declare_core() -> None:
    """Declare the core's events. Features declare others, with the remaining places."""
    of_core = (
        ("PERSON_ASKED", "conversation.person_asked", 0, "a visitor is waiting for a person", True),
        ("SOURCE_FAILED", "source.failed", 20, "a source could not be read", True),
        ("GAP_GROWN", "gap.grown", 30, "a gap is new, or was asked 5, 20 or 100 times", True),
        ("BUDGET_SPENT", "budget.spent", 40, "all of a day's or a month's tokens are used", True),
        ("CONVERSATION_ASSIGNED", "conversation.assigned", 60, "a conversation is assigned", False),
        ("OPERATOR_MENTIONED", "conversation.mentioned", 70, "a note mentions an operator", False),
        ("BUDGET_NEAR", "budget.near", 100, "four fifths of a day's or a month's tokens are used", False),
        ("GAPS_WEEKLY", "gaps.weekly", 200, "a week ends, with a summary of its gaps", False),
        ("GAP_DETECTED", "gap.detected", 210, "a question could not be answered", False),
        ("TURN_FINISHED", "turn.finished", 220, "an answer finishes, fails or is cut off", False),
    )
    for attribute, name, place, words, is_urgent in of_core:
        setattr(WebhookEvent, attribute, WebhookEvent(name))
        declare_events([Event(WebhookEvent(name), words, place, is_urgent=is_urgent)])


_declare_core()
