"""A turn that another web process answers, for readers here."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from uuid import UUID

import structlog

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import DocentError, Unavailable
from app.core.turn import TurnState
from app.core.turn_events import FIRST_RECORD_NUMBER, Error, NumberedEvent
from app.core.turn_feed import TurnFeed
from app.kit.tasks.ended_task import end_task
from app.store.system_of_record import SystemOfRecord
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import TurnHead, TurnLog
from app.turns.subscribers import Subscribers
from app.turns.turn_replay import rest_of

log = structlog.get_logger(__name__)

WAIT_SECONDS = 2.0  # of silence, until the record is asked what has become of the turn
LAST_WAIT_SECONDS = 0.5  # for events that are under way to the log while the record has the end

_LOST = Error("internal", "This answer was cut off. Please ask again.", retryable=True)


class RemoteTurn(TurnFeed):
    """One task follows the turn log for all readers here, from the first that comes until the last has left; events
    keep their numbers. `changed` hears of that first and that last one.

    The record decides when the log is silent: an owner that died leaves a turn that is soon `cut` there, and a log
    that is away leaves the whole answer there at its end.
    """

    def __init__(
        self, head: TurnHead, records: SystemOfRecord, turn_log: TurnLog, changed: Callable[[bool], None]
    ) -> None:
        self._records = records
        self._log = turn_log
        self._changed = changed
        self._logged = 0  # the last number that the log had
        self._live = LiveTurn(head, subscribers=Subscribers(self._subscribers_changed))
        self._following: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def turn_id(self) -> UUID:
        return self._live.turn_id

    @property
    def is_answered_here(self) -> bool:
        return False

    @property
    def conversation_id(self) -> UUID:
        return self._live.conversation_id

    @property
    def fingerprint(self) -> str:
        return self._live.fingerprint

    def followed(
        self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """The owner may have sent a reader what it never logged, and where the record goes on for that reader is not
        known: it hears of a turn that broke off, and is left without a word where the whole answer is stored, to ask
        for that from its start."""

        def hear(numbered: NumberedEvent) -> None:
            is_recorded = numbered.number >= FIRST_RECORD_NUMBER
            if not is_recorded or self._logged >= after or isinstance(numbered.event, Error):
                heard(numbered)

        return self._live.followed(after, hear, ended)

    async def close(self) -> None:
        """Follow no more; readers that are left get nothing more."""
        for task in [*self._ending, *([self._following] if self._following else [])]:
            await end_task(task)

    def _subscribers_changed(self, is_read: bool) -> None:
        if is_read:
            self._following = asyncio.create_task(self._follow(), name=f"mirror of turn {self.turn_id}")
        elif self._following:
            self._following.cancel()
            self._ending.add(self._following)
            self._following.add_done_callback(self._ending.discard)
            self._following = None
        self._changed(is_read)

    async def _follow(self) -> None:
        try:
            while not self._live.has_ended and self._following is asyncio.current_task():
                if not await self._read(WAIT_SECONDS):
                    await self._look_at_record()
        except Exception:
            log.exception("turn_mirror.failed", turn=str(self.turn_id))
            self._live.publish_recorded([_LOST])

    async def _read(self, wait_seconds: float) -> bool:
        """Whether anything has come."""
        try:
            events = await self._log.read(self.turn_id, self._logged, wait_seconds)
        except Unavailable:
            await asyncio.sleep(wait_seconds)
            return False
        for numbered in events:
            self._live.publish(numbered.event)
        self._logged = self._live.last_number
        return bool(events)

    async def _look_at_record(self) -> None:
        try:
            stored = await self._records.read(lambda tx: StoredTurnRecords(tx).find(self.turn_id))
        except DocentError as error:
            log.warning("turn_mirror.away", turn=str(self.turn_id), reason=str(error))
            return
        if stored is None:  # erased
            self._live.publish_recorded([_LOST])
        elif stored.state is not TurnState.RUNNING and not await self._read(LAST_WAIT_SECONDS):
            known = [numbered.event for numbered in self._live.so_far()]
            self._live.publish_recorded(rest_of(stored, known))
