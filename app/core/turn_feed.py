"""A turn as its readers see it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from typing import Protocol
from uuid import UUID

from app.core.turn_events import NumberedEvent


class TurnFeed(Protocol):
    """A turn that runs, or ran, somewhere: here, in another process, or in the record. Reading it or leaving it never
    changes it, unless its agent says so."""

    @property
    def turn_id(self) -> UUID: ...

    @property
    def is_answered_here(self) -> bool:
        """Ends with this process, and not with another one."""
        ...

    async def events(self, after: int = 0) -> AsyncGenerator[NumberedEvent, None]:
        """What `followed` tells, one after the other: events with numbers above `after`, then live ones; ends after
        done or error. Whoever leaves it early closes it."""
        heard: asyncio.Queue[NumberedEvent | None] = asyncio.Queue()
        with self.followed(after, heard.put_nowait, lambda: heard.put_nowait(None)):
            while (numbered := await heard.get()) is not None:
                yield numbered

    def followed(
        self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """While the block runs, `heard` gets the events that there are before it begins, and each later
        one as it is published; `ended` is called after the last. Both return at once and raise nothing, for the turn
        itself calls them."""
        ...
