"""Copies the events of this process's turns into the turn log, beside the turns and never in their way."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self
from uuid import UUID

import structlog

from app.core.errors import Unavailable
from app.kit.tasks.ended_task import end_task
from app.kit.tasks.supervisor import Supervisor
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import Growth, TurnLog

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.05  # between two copies: what came meanwhile goes out at once, of all turns together
RETRY_SECONDS = 1.0


class LogWriter:
    """Writes while its block runs, and once more when it is left. While the log is away turns go on, and are
    written when it is back."""

    def __init__(self, turn_log: TurnLog, supervisor: Supervisor | None = None) -> None:
        self._log = turn_log
        self._supervisor = supervisor or Supervisor()
        self._behind: dict[UUID, LiveTurn] = {}
        self._written: dict[UUID, int] = {}  # of turns that go on
        self._has_some = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._is_away = False

    def grown(self, turn: LiveTurn) -> None:
        if not self._log.is_shared:
            return
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writing:
            await end_task(self._writing)
        await self._write()

    async def _write_when_due(self) -> None:
        await self._has_some.wait()
        await self._write()
        await asyncio.sleep(RETRY_SECONDS if self._is_away else PAUSE_SECONDS)

    async def _write(self) -> None:
        self._has_some.clear()
        growths = [
            Growth(turn.head, events)
            for turn_id, turn in self._behind.items()
            if (events := turn.so_far(self._written.get(turn_id, 0)))
        ]
        if not growths:
            self._behind.clear()
            return
        try:
            await self._append(growths)
        except Unavailable as error:
            self._has_some.set()
            if not self._is_away:
                log.warning("turn_log.away", reason=str(error))
            self._is_away = True
            return
        except Exception as error:  # of one turn, perhaps: the others must not wait for it
            self._supervisor.note_failure("turn log", error)
            await self._append_singly(growths)
        self._is_away = False

    async def _append(self, growths: Sequence[Growth]) -> None:
        lost = await self._log.append(growths)
        for growth in growths:
            self._note(growth, growth.head.turn_id in lost)

    async def _append_singly(self, growths: Sequence[Growth]) -> None:
        """Without those that the log cannot take: their readers elsewhere get the end from the record."""
        for growth in growths:
            try:
                await self._append([growth])
            except Unavailable:
                self._has_some.set()
            except Exception:
                log.exception("turn_log.not_written", turn=str(growth.head.turn_id))
                self.forget(growth.head.turn_id)

    def _note(self, growth: Growth, was_lost: bool) -> None:
        turn_id, reached = growth.head.turn_id, growth.events[-1]
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
