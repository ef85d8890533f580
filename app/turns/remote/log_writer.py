"""Copies the events of this process's turns into the turn log, without ever delaying the turns."""

import asyncio
from collections.abc import Sequence
from typing import Self
from uuid import UUID

import structlog

from app.core.errors import Unavailable
from app.kit.tasks import Supervisor, end_task
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import EventBatch, TurnLog

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.05  # between two copies, each of which sends the new events of all turns together
RETRY_SECONDS = 1.0


class LogWriter:
    """Copies while its block runs, and once more at its end. While the log is down, turns continue; their events are
    copied once it is back."""

    def __init__(self, turn_log: TurnLog, supervisor: Supervisor | None = None) -> None:
        self._log = turn_log
        self._supervisor = supervisor or Supervisor()
        self._behind: dict[UUID, LiveTurn] = {}
        self._written: dict[UUID, int] = {}  # the last copied number of each running turn
        self._has_some = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._is_away = False

    def grown(self, turn: LiveTurn) -> None:
        self._behind[turn.turn_id] = turn
        self._has_some.set()

    def forget(self, turn_id: UUID) -> None:
        """Write no more of this turn."""
        self._behind.pop(turn_id, None)
        self._written.pop(turn_id, None)

    async def __aenter__(self) -> Self:
        writing = self._supervisor.keep_going("turn log", self._write_when_due)
        self._writing = asyncio.create_task(writing, name="turn log")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writing:
            await end_task(self._writing)
        await self._write()

    async def _write_when_due(self) -> None:
        await self._has_some.wait()
        await self._write()
        await asyncio.sleep(RETRY_SECONDS if self._is_away else PAUSE_SECONDS)

    async def _write(self) -> None:
        self._has_some.clear()
        batches = [
            EventBatch(turn.head, events)
            for turn_id, turn in self._behind.items()
            if (events := turn.so_far(self._written.get(turn_id, 0)))
        ]
        if not batches:
            self._behind.clear()
            return
        try:
            await self._append(batches)
        except Unavailable as error:
            self._has_some.set()
            if not self._is_away:
                log.warning("turn_log.away", reason=str(error))
            self._is_away = True
            return
        except Exception as error:  # one turn may be the cause, and must not hold up the others
            self._supervisor.note_failure("turn log", error)
            await self._append_singly(batches)
        self._is_away = False

    async def _append(self, batches: Sequence[EventBatch]) -> None:
        lost = await self._log.append(batches)
        for batch in batches:
            self._note(batch, batch.head.turn_id in lost)

    async def _append_singly(self, batches: Sequence[EventBatch]) -> None:
        """Append turn by turn, and give up turns that fail: readers in other processes get their end from the
        record."""
        for batch in batches:
            try:
                await self._append([batch])
            except Unavailable:
                self._has_some.set()
            except Exception:
                log.exception("turn_log.not_written", turn=str(batch.head.turn_id))
                self.forget(batch.head.turn_id)

    def _note(self, batch: EventBatch, was_lost: bool) -> None:
        turn_id, reached = batch.head.turn_id, batch.events[-1]
        turn = self._behind.get(turn_id)
        if turn is None:  # forgotten meanwhile
            return
        if was_lost:
            self._written.pop(turn_id, None)
            self._has_some.set()
            return
        self._written[turn_id] = reached.number
        if reached.number == turn.last_number:
            del self._behind[turn_id]
        if reached.is_last:
            self.forget(turn_id)
