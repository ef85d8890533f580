"""The events of a turn, and the feed from which they are read."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Final, Literal, Protocol
from uuid import UUID

from app.core.confirmation import Confirmation
from app.core.turn import AnsweredBy, Citation, Finish, TurnEnd


@dataclass(frozen=True, slots=True)
class Start:
    name: ClassVar[str] = "start"
    turn_id: UUID
    conversation_id: UUID


@dataclass(frozen=True, slots=True)
class Status:
    name: ClassVar[str] = "status"
    stage: Literal["searching", "reading", "thinking", "writing"]


@dataclass(frozen=True, slots=True)
class Token:
    name: ClassVar[str] = "token"
    token: str


@dataclass(frozen=True, slots=True)
class Citations:
    name: ClassVar[str] = "citations"
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Confirm:
    """The answer proposes a change, which is only made if the visitor confirms it."""

    name: ClassVar[str] = "confirm"
    confirmation: Confirmation


@dataclass(frozen=True, slots=True)
class Done:
    """The receipt: the turn is stored."""

    name: ClassVar[str] = "done"
    turn_id: UUID
    message_id: UUID
    answered_by: AnsweredBy
    low_confidence: bool
    confidence: float
    finish: Finish
    next_questions: Annotated[tuple[str, ...], "Questions to offer below the answer, at most three."] = ()

    @classmethod
    def from_end(cls, end: TurnEnd, turn_id: UUID, message_id: UUID) -> "Done":
        return cls(
            turn_id, message_id, end.answered_by, end.low_confidence, end.confidence, end.finish, end.next_questions
        )


@dataclass(frozen=True, slots=True)
class Error:
    """The turn ended without a whole answer. `code` is one of model_unavailable, model_interrupted, interrupted,
    shutting_down, unavailable, overloaded, internal."""

    name: ClassVar[str] = "error"
    code: str
    message: str
    retryable: bool


INTERRUPTED: Final = Error("interrupted", "This answer was cut off. Please ask again.", retryable=True)
"""The end of a turn whose process is gone."""


TurnEvent = Start | Status | Token | Citations | Confirm | Done | Error


FIRST_RECORD_NUMBER: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with its number in the turn's log, counting from 1 without gaps.

    Events that are rebuilt from the system of record, which does not number them, count from FIRST_RECORD_NUMBER: above
    every log, so that the two kinds of numbers cannot be confused.
    """

    number: int
    event: TurnEvent

    @property
    def is_last(self) -> bool:
        return isinstance(self.event, Done | Error)


def event_payload(event: TurnEvent) -> dict[str, Any]:
    """The event as a JSON-ready object, including the event's name."""
    if isinstance(event, Citations):
        return {"event": event.name, "citations": [citation_payload(c) for c in event.citations]}
    if isinstance(event, Confirm):
        return {"event": event.name, "confirmation": confirmation_payload(event.confirmation)}
    payload: dict[str, Any] = {"event": event.name}
    for field in fields(event):  # `asdict` copies each value deeply
        value = getattr(event, field.name)
        payload[field.name] = str(value) if isinstance(value, UUID) else value
    return payload


def citation_payload(citation: Citation) -> dict[str, Any]:
    """A citation as visitors see it: without chunk ids."""
    as_of = citation.as_of.isoformat() if citation.as_of else None
    return {
        "id": citation.id,
        "url": citation.url,
        "title": citation.title,
        "as_of": as_of,
        "quote": citation.quote,
        "passage": citation.passage,
        "link": citation.link,
    }


def confirmation_payload(confirmation: Confirmation) -> dict[str, Any]:
    """A confirmation as visitors see it: without the call."""
    return {
        "id": str(confirmation.id),
        "turn_id": str(confirmation.turn_id),
        "title": confirmation.title,
        "summary": confirmation.summary,
        "values": [{"name": each.name, "label": each.label, "value": each.value} for each in confirmation.shown],
        "state": confirmation.state.value,
        "text": confirmation.text,
        "expires_at": confirmation.expires_at.isoformat(),
    }


class TurnFeed(Protocol):
    """The events of a turn that runs or has ended, in this process, in another one, or in the record. Reading and
    leaving it do not affect the turn, unless its agent's settings say so."""

    @property
    def turn_id(self) -> UUID: ...

    @property
    def is_answered_here(self) -> bool:
        """Whether the turn runs in this process, and ends with it."""
        ...

    async def events(self, after: int = 0) -> AsyncGenerator[NumberedEvent, None]:
        """Iterate over the events with numbers above `after`, first the existing ones, until done or error. A caller
        that stops early must close the generator."""
        heard: asyncio.Queue[NumberedEvent | None] = asyncio.Queue()
        with self.followed(after, heard.put_nowait, lambda: heard.put_nowait(None)):
            while (numbered := await heard.get()) is not None:
                yield numbered

    def followed(
        self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """While the block runs, `heard` receives the existing events first, and then each one as it is published;
        `ended` is called after the last. Both must return at once and not raise, because the turn itself calls them."""
        ...
