"""Turns that other web processes run: finds, reads, stops and ends them from here."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import DocentError, Unavailable
from app.core.turn import StoredTurn, TurnState, VisitorSession
from app.core.turn_events import FIRST_RECORD_NUMBER, INTERRUPTED, Error, NumberedEvent, TurnFeed
from app.kit.tasks import end_task
from app.store.system_of_record import SystemOfRecord
from app.turns.live_turn import LiveTurn, Subscribers, head_of, rest_of
from app.turns.remote.turn_log import OrderKind, TurnHead, TurnLog, TurnOrder, TurnOrders

log = structlog.get_logger(__name__)

WAIT_SECONDS = 2.0  # of silence, before asking the record what has become of the turn
LAST_WAIT_SECONDS = 0.5  # for events still on their way to the log once the record has the end


class RemoteTurn(TurnFeed):
    """A turn of another process. One task follows the turn log for all readers here, while there are any; events keep
    their numbers. `changed` is called when the first reader comes, and when the last one leaves.

    When the log is silent, the record is checked: it has the cut if the owner died, and the whole answer after the end
    if the log is down.
    """

    def __init__(
        self, head: TurnHead, records: SystemOfRecord, turn_log: TurnLog, changed: Callable[[bool], None]
    ) -> None:
        self._records = records
        self._log = turn_log
        self._changed = changed
        self._logged = 0  # the last number in the log
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

    def followed(
        self, after: int, heard: Callable[[NumberedEvent], None], ended: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """Like `LiveTurn.followed`. A reader may have got events from the owner that were never logged, so it is
        unknown where it continues in the record. Such a reader gets an error if the turn broke off; else its stream
        just ends, and it requests the answer from the start."""

        def hear(numbered: NumberedEvent) -> None:
            is_recorded = numbered.number >= FIRST_RECORD_NUMBER
            if not is_recorded or self._logged >= after or isinstance(numbered.event, Error):
                heard(numbered)

        return self._live.followed(after, hear, ended)

    async def close(self) -> None:
        """Stop following; remaining readers get nothing more."""
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
            self._live.publish_recorded([INTERRUPTED])

    async def _read(self, wait_seconds: float) -> bool:
        """Publish the next events of the log; return whether there were any."""
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
            self._live.publish_recorded([INTERRUPTED])
        elif stored.state is not TurnState.RUNNING and not await self._read(LAST_WAIT_SECONDS):
            known = [numbered.event for numbered in self._live.so_far()]
            self._live.publish_recorded(rest_of(stored, known))


_END_SECONDS = 5.0  # for other processes to end the turns of an erased conversation


@dataclass(frozen=True, slots=True)
class SharedTurns:
    """What web processes share: the events of turns, and orders about them."""

    log: TurnLog
    orders: TurnOrders


class RemoteTurns:
    """`process` identifies this one to the others."""

    def __init__(self, records: SystemOfRecord, shared: SharedTurns, process: str) -> None:
        self._records = records
        self._shared = shared
        self._process = process
        self._mirrors: WeakValueDictionary[UUID, RemoteTurn] = WeakValueDictionary()
        self._sending: set[asyncio.Task[None]] = set()
        self._one_after_another = asyncio.Lock()

    async def find(self, session: VisitorSession, turn_id: UUID, after: int = 0) -> RemoteTurn | None:
        """The conversation's turn if the log can provide its events after number `after`; else None."""
        try:
            head = await self._shared.log.head(turn_id)
            if after > 0 and head is not None and await self._is_beyond_log(session, turn_id, after):
                return None
        except Unavailable as error:
            log.warning("turn_log.away", reason=str(error))
            return None
        if head is None or head.conversation_id != session.conversation_id:
            return None
        return self._mirror(head)

    def running(self, stored: StoredTurn) -> RemoteTurn:
        """A turn that runs according to the record, even if its log does not exist yet."""
        return self._mirror(head_of(stored))

    async def stop(self, turn_id: UUID) -> None:
        """Raises Unavailable."""
        await self._shared.orders.send(TurnOrder("stop", (turn_id,), self._process))

    async def end_of(self, conversation_ids: Collection[UUID]) -> None:
        """End the conversations' turns in every process, and forget all their events."""
        turns = await self._turns_of(conversation_ids)
        if not turns:
            return
        try:
            await self._shared.orders.send(TurnOrder("end", tuple(conversation_ids), self._process))
            async with asyncio.timeout(_END_SECONDS):
                for turn in turns:
                    if turn.state is TurnState.RUNNING:
                        await _read_to_end(self.running(turn))
        except (Unavailable, TimeoutError) as error:
            log.warning("turn_orders.end_not_sent", reason=f"{type(error).__name__}: {error}")
        try:
            await self._shared.log.forget([turn.id for turn in turns])
        except Unavailable as error:
            log.warning("turn_log.not_forgotten", reason=str(error))
        self.forget(conversation_ids)

    async def close(self) -> None:
        """After this returns, nothing more is read or sent."""
        for mirror in list(self._mirrors.values()):
            await mirror.close()
        await asyncio.gather(*self._sending, return_exceptions=True)

    def forget(self, conversation_ids: Collection[UUID]) -> None:
        """Drop the copies of these conversations' turns in this process."""
        for turn_id, mirror in list(self._mirrors.items()):
            if mirror.conversation_id in conversation_ids:
                self._mirrors.pop(turn_id, None)

    async def _is_beyond_log(self, session: VisitorSession, turn_id: UUID, after: int) -> bool:
        """Whether the turn is done, and a reader has seen events that were never logged. Raises Unavailable."""
        if await self._shared.log.read(turn_id, after - 1, LAST_WAIT_SECONDS):
            return False
        stored = await self._records.of_workspace(session.workspace_id).read(
            lambda tx: StoredTurnRecords(tx).find(turn_id)
        )
        return stored is not None and stored.state is TurnState.DONE

    async def _turns_of(self, conversation_ids: Collection[UUID]) -> list[StoredTurn]:
        return await self._records.read(
            lambda tx: [turn for each in conversation_ids for turn in StoredTurnRecords(tx).of_conversation(each)]
        )

    def _mirror(self, head: TurnHead) -> RemoteTurn:
        known = self._mirrors.get(head.turn_id)
        if known is not None:
            return known
        mirror = RemoteTurn(head, self._records, self._shared.log, lambda is_read: self._announce(head, is_read))
        self._mirrors[head.turn_id] = mirror
        return mirror

    def _announce(self, head: TurnHead, is_read: bool) -> None:
        sending = asyncio.create_task(self._send_order("read" if is_read else "left", head.turn_id))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def _send_order(self, kind: OrderKind, turn_id: UUID) -> None:
        """Tell the owner that this process has readers, or none any more, so that it can stop a turn that nobody reads.
        If this fails, the turn runs to its end."""
        try:
            async with self._one_after_another:
                await self._shared.orders.send(TurnOrder(kind, (turn_id,), self._process))
        except Unavailable as error:
            log.warning("turn_orders.reader_not_announced", reason=str(error))


async def _read_to_end(turn: RemoteTurn) -> None:
    async for _ in turn.events():
        pass
