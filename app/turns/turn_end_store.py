"""Stores the texts of running turns, and how a turn ended, however long the record is unavailable. `done` is a receipt:
it is sent after this.
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
FIRST_SECONDS = 0.1  # an answer that comes whole has ended by then, and needs no write of its own
_TOGETHER_SECONDS = 0.5  # texts due within this time are stored by one transaction


class Checkpoints:
    """Stores texts without slowing their streams: the first words of an answer are stored at once, and what was shown
    since within two seconds or 64 tokens, plus the time of a write. Texts that become due during a write go out
    together in the next transaction, so hundreds of streams need no more transactions than one.

    One for all turns of a process. A failed write is not repeated: the turn's next text, and its end, include
    everything in it."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records
        self._due: dict[UUID, str] = {}
        self._under_way: Mapping[UUID, str] = {}
        self._is_written = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    def put(self, turn_id: UUID, text: str) -> None:
        """Mark the turn's text so far as due."""
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
            texts, self._due = self._due, {}
            self._under_way = texts
            self._is_written = asyncio.Event()
            try:
                await self._write(texts)
            except DocentError as error:
                log.warning("turn.checkpoints_failed", turns=len(self._under_way), reason=str(error))
            except Exception:
                log.exception("turn.checkpoints_failed", turns=len(self._under_way))
            finally:
                self._under_way = {}
                self._is_written.set()

    async def _write(self, texts: Mapping[UUID, str]) -> None:
        await self._records.write(lambda tx: TurnRecords(tx).checkpoint(texts))


class Checkpointer:
    """Decides when the text of one turn is due."""

    def __init__(self, checkpoints: Checkpoints, turn_id: UUID) -> None:
        self._checkpoints = checkpoints
        self._turn_id = turn_id
        self._text = ""
        self._tokens = 0
        self._has_put = False
        self._timer: asyncio.TimerHandle | None = None

    def offer(self, text: str) -> None:
        """The text has grown by a token, to `text`."""
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
_AGAIN_SECONDS: Final = (
    0.25,
    0.75,
    1,
    1,
    2,
    2,
    4,
    8,
    15,
    30,
)  # then every 30; a full disk or a lock takes time to clear


class TurnEndStore:
    """For one turn. `on_delay` is called once if the end was not stored within PATIENCE_SECONDS; `was_late` then says
    that it was stored all the same, so the record has more than the readers have seen."""

    def __init__(
        self, records: SystemOfRecord, session: VisitorSession, turn_id: UUID, on_delay: Callable[[], None]
    ) -> None:
        self._records = records
        self._workspace_id = session.workspace_id
        self._turn_id = turn_id
        self._on_delay = on_delay
        self._has_told = False
        self._must_go = anyio.Event()
        self.was_late = False

    def give_up(self) -> None:
        """Try only once more, because the process has to stop."""
        self._must_go.set()

    @traced("docent.persist")
    async def store(self, end: TurnEnd) -> UUID | None:
        """The answer's message id. While the record is full, locked or down, storing is retried for as long as this
        process lives: a turn that stays `running` would block its conversation. Returns None if the process has to stop
        first; the process that finds the turn then sets it to `cut`. Raises NotFound for an erased turn."""
        began = monotonic()
        for number, pause in enumerate(chain(_AGAIN_SECONDS, repeat(_AGAIN_SECONDS[-1]))):
            is_last = number > 0 and self._must_go.is_set()
            try:
                message_id = await self._commit(end)
            except (Overloaded, Unavailable) as error:
                log.warning("turn.end_waits", turn=str(self._turn_id), reason=str(error))
            else:
                self.was_late = self._has_told
                return message_id
            if is_last:
                break
            if monotonic() - began >= PATIENCE_SECONDS and not self._has_told:
                self._has_told = True
                self._on_delay()
            with anyio.move_on_after(pause):
                await self._must_go.wait()
        return None

    async def _commit(self, end: TurnEnd) -> UUID:
        return await self._records.of_workspace(self._workspace_id).write(
            lambda tx: TurnRecords(tx).finish(self._turn_id, end)
        )
