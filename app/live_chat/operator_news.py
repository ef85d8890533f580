"""News for operators on any page: visitors who wait for a person, and ended turns."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from app.conversations.conversation import RESUME_WITHIN
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction, reads


@dataclass(frozen=True, slots=True)
class News:
    """For one workspace: `waiting` visitors ask for a person, the last of them since `asked_at`; `moved_at` is when a
    turn last ended or got its first rating. None if there was none."""

    waiting: int
    asked_at: datetime | None
    moved_at: datetime | None


class OperatorNews:
    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    @reads
    def now(self, tx: Transaction, actor: Actor) -> News:
        active_since = self._clock.now() - RESUME_WITHIN
        waiting, asked_at = LiveChatRecords(tx).waiting(actor.workspace_id, active_since)
        return News(waiting, asked_at, StoredTurnRecords(tx).moved_at(actor.workspace_id))

    async def watch(self, actor: Actor, pause: Callable[[], Awaitable[bool]]) -> AsyncGenerator[News]:
        """The news now, then whenever they have changed. `pause` is awaited between two checks; its False ends the
        watch."""
        told: News | None = None
        while True:
            news = await self.now(actor)
            if news != told:
                yield news
            told = news
            if not await pause():
                return
