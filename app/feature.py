"""What a feature adds to the core, as one value: `FEATURE` in its package.

A feature is a guest. The core runs without it and imports nothing of it; other features know nothing of it either. Only
`app/bootstrap/features.py` names it, in one line. Whatever takes long to import is imported by the functions that the
value holds, when a process needs it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol

from app.core.webhook_event import Event, declare_events
from app.kit.wiring import Part, Wiring

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime
    from pathlib import Path
    from uuid import UUID

    from typing_extensions import TypeForm

    from app.core.webhook_event import News, WebhookEvent
    from app.store.transaction import Transaction, TurnEndListener
    from app.web.console.page import Pages
    from app.web.endpoint import Api


class NewsTaker(Protocol):
    """Takes an agent's events elsewhere than to a webhook."""

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Called once for each of the news, in the transaction in which they leave the outbox."""
        ...

    def wanting(self, tx: Transaction, event: WebhookEvent, until: datetime) -> list[UUID]:
        """The agents for which somebody has subscribed to the event, and had at `until`."""
        ...


@dataclass(frozen=True, slots=True)
class Job(Generic[Part]):
    """Work of a worker, as a `PeriodicTask` does it, by a part that is made from what its constructor names."""

    pause_seconds: float
    name: str
    kind: type[Part]
    work: Callable[[Part], Awaitable[int]]

    def round_of(self, parts: Wiring) -> Callable[[], Awaitable[int]]:
        """What is done periodically, with those parts."""
        return partial(self.work, parts.get(self.kind))


@dataclass(frozen=True, slots=True)
class Fill(Generic[Part]):
    """A class for what constructors of the core name as `port | None`."""

    port: TypeForm[Part]
    kind: type[Part]


@dataclass(frozen=True, slots=True)
class Opened(Generic[Part]):
    """A part that has to be opened before a constructor can name it."""

    kind: TypeForm[Part]
    open: Callable[[], AbstractAsyncContextManager[Part]]


@dataclass(frozen=True, slots=True)
class Edge:
    """Calls and pages. Each call's class is documented after the core's that it is listed with, or at the end."""

    apis: Mapping[type[Api], type[Api] | None] = field(default_factory=dict)
    pages: Sequence[type[Pages]] = ()
    opens: Sequence[Opened[Any]] = ()


@dataclass(frozen=True, slots=True)
class Work:
    jobs: Sequence[Job[Any]] = ()
    takers: Sequence[type[NewsTaker]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """`on_turn_end` is called in the transaction in which a turn ends, in every process. `templates` is the folder of a
    feature outside of `app`, whose pages name them by its name and their file."""

    name: str
    edge: Callable[[], Edge] = Edge
    work: Callable[[], Work] = Work
    fills: Callable[[], Sequence[Fill[Any]]] = tuple
    on_turn_end: Sequence[TurnEndListener] = ()
    events: Sequence[Event] = ()
    templates: Path | None = None

    def __post_init__(self) -> None:
        declare_events(self.events)


class Features(tuple[Feature, ...]):
    __slots__ = ()

    @property
    def on_turn_end(self) -> list[TurnEndListener]:
        return [listener for each in self for listener in each.on_turn_end]

    @property
    def fills(self) -> dict[Any, type[object]]:
        return {fill.port: fill.kind for each in self for fill in each.fills()}
