"""Stores the partial answers of running turns, and the ends of turns, for however long the record is unavailable. The
event `done` is sent only after the end is stored.
"""

import asyncio
from collections.abc import Callable, Mapping
from itertools import chain, repeat
from time import monotonic
from typing import Final
from uuid import UUID

import anyio
import structlog

from app.conversations.records.turns import TurnRecords
from app.core.errors import DocentError, Overloaded, Unavailable
from app.core.turn import TurnEnd, VisitorSession
from app.kit.tracing import traced
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

INTERVAL_SECONDS = 2.0
INTERVAL_TOKENS = 64
FIRST_SECONDS = 0.1  # an answer without a model has ended by then, and needs no checkpoint
_TOGETHER_SECONDS = 0.5  # texts due within this time are stored by one transaction


class Checkpoints:
    """Stores partial answers in the background, so that streams never wait. One instance serves all turns of a process:
    texts that become due during a write are stored together by the next transaction, so hundreds of streams need no
    more transactions than one.

    A failed write is not repeated: the turn's next text, and its end, contain everything in it."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records
        self._due: dict[UUID, str] = {}
        self._under_way: Mapping[UUID, str] = {}
        self._is_written = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    def put(self, turn_id: UUID, text: str) -> None:
        """Store the turn's text so far with the next write."""
        self._due[turn_id] = text
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all(), name="checkpoints")

    async def settle(self, turn_id: UUID) -> None:
        """Return once nothing more of the turn will be written, unless it is put again."""
        self._due.pop(turn_id, None)
        if turn_id in self._under_way:
            await self._is_written.wait()

    async def _write_all(self) -> None:
        while self._due:
            self._under_way, self._due = self._due, {}
            self._is_written = asyncio.Event()
            try:
                await self._records.write(lambda tx: TurnRecords(tx).checkpoint(self._under_way))
            except DocentError as error:
                log.warning("turn.checkpoints_failed", turns=len(self._under_way), reason=str(error))
            except Exception:
                log.exception("turn.checkpoints_failed", turns=len(self._under_way))
            finally:
                self._under_way = {}
                self._is_written.set()


class Checkpointer:
    """Decides when the text of one turn is due: soon after the first token, then after INTERVAL_SECONDS or
    INTERVAL_TOKENS, whichever is first."""

    def __init__(self, checkpoints: Checkpoints, turn_id: UUID) -> None:
        self._checkpoints = checkpoints
        self._turn_id = turn_id
        self._text = ""
        self._tokens = 0
        self._has_put = False
        self._timer: asyncio.TimerHandle | None = None

    def offer(self, text: str) -> None:
        """Take the turn's whole `text`, after each of its tokens."""
        self._text = text
        self._tokens += 1
        if self._tokens >= INTERVAL_TOKENS:
            self._put()
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            latest = loop.time() + INTERVAL_SECONDS
            due = latest - latest % _TOGETHER_SECONDS if self._has_put else loop.time() + FIRST_SECONDS
            self._timer = loop.call_at(due, self._put)

    async def settle(self) -> None:
        """Wait for a write under way, so that it cannot land after the end."""
        self._forget_timer()
        await self._checkpoints.settle(self._turn_id)

    def _put(self) -> None:
        self._forget_timer()
        self._tokens, self._has_put = 0, True
        self._checkpoints.put(self._turn_id, self._text)

    def _forget_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


PATIENCE_SECONDS: Final = 5.0  # how long a visitor waits for the receipt of an answer that is already on the screen
_AGAIN_SECONDS: Final = (0.25, 0.75, 1, 1, 2, 2, 4, 8, 15, 30)  # and so on; a full disk or a lock takes time to clear


class TurnEndStore:
    """Stores the end of one turn. If that takes longer than PATIENCE_SECONDS, `on_delay` is called once, and `was_late`
    is True if the end was stored afterwards: the record then has more than readers have seen."""

    def __init__(
        self, records: SystemOfRecord, session: VisitorSession, turn_id: UUID, on_delay: Callable[[], None]
    ) -> None:
        self._records = records
        self._workspace_id = session.workspace_id
        self._turn_id = turn_id
        self._on_delay = on_delay
        self._has_reported_delay = False
        self._must_go = anyio.Event()
        self.was_late = False

    def give_up(self) -> None:
        """Try only once more, because the process has to stop."""
        self._must_go.set()

    @traced("docent.persist")
    async def store(self, end: TurnEnd) -> UUID | None:
        """Store the end; return the answer's message id. While the record is full, locked or down, this is retried for
        as long as the process lives, because a turn that stays `running` would block its conversation. Returns None if
        the process has to stop first; the turn is cut later. Raises NotFound for an erased turn."""
        began = monotonic()
        for number, pause in enumerate(chain(_AGAIN_SECONDS, repeat(_AGAIN_SECONDS[-1]))):
            is_last = number > 0 and self._must_go.is_set()
            try:
                message_id = await self._commit(end)
            except (Overloaded, Unavailable) as error:
                log.warning("turn.end_waits", turn=str(self._turn_id), reason=str(error))
            else:
                self.was_late = self._has_reported_delay
                return message_id
            if is_last:
                break
            if monotonic() - began >= PATIENCE_SECONDS and not self._has_reported_delay:
                self._has_reported_delay = True
                self._on_delay()
            with anyio.move_on_after(pause):
                await self._must_go.wait()
        return None

    async def _commit(self, end: TurnEnd) -> UUID:
        return await self._records.of_workspace(self._workspace_id).write(
            lambda tx: TurnRecords(tx).finish(self._turn_id, end)
        )
