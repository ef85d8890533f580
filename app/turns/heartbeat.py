"""Reports that this process is alive, and ends the turns of processes that are not."""

import asyncio
from typing import Final, Self
from uuid import UUID

import anyio.to_thread
import structlog

from app.conversations.records.turns import TurnRecords
from app.core.errors import Overloaded, Unavailable
from app.kit.tasks import Supervisor, end_task
from app.store.processes import WEB, Liveness, ProcessFiles, ProcessRecords
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

_FIRST_BEATS: Final = 12  # attempts, each of which waits to write (5 s on SQLite)


class Heartbeat:
    """Beats while its block runs, and cuts the running turns of dead processes, which frees their conversations. A
    process is dead if `files` say so or it was silent for too long (`Liveness`). Turns in `lost` are cut as well, and
    removed from the set. If a process was only paused, its turns continue, and their ends replace the cuts."""

    def __init__(
        self,
        record: SystemOfRecord,
        process: str,
        *,
        files: ProcessFiles | None = None,
        beat_seconds: float = 5.0,
        supervisor: Supervisor | None = None,
        lost: set[UUID] | None = None,
    ) -> None:
        self._record = record
        self._lost = set() if lost is None else lost
        self._process = process
        self._liveness = Liveness(process, WEB)
        self._files = files
        self._beat_seconds = beat_seconds
        self._supervisor = supervisor or Supervisor()
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._first_beat()
        beating = self._supervisor.keep_going("heartbeat", self._beat_again, rest_seconds=0)
        self._beating = asyncio.create_task(beating, name="heartbeat")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._beating:
            await end_task(self._beating)
        try:
            await self._record.write(lambda tx: ProcessRecords(tx).leave(self._process))
        except (Overloaded, Unavailable) as error:  # a missed beat has the same effect, a little later
            log.warning("heartbeat.leave_failed", reason=str(error))

    async def beat(self) -> int:
        """Report that this process is alive, and cut the turns of dead processes; return the number of cut turns."""
        lost, files = frozenset(self._lost), self._files
        dead = await anyio.to_thread.run_sync(files.dead) if files else []

        def work(tx: Transaction) -> int | None:
            self._liveness.beat(tx)
            for process in dead:
                ProcessRecords(tx).leave(process)
            living = self._liveness.living(tx)
            return None if living is None else TurnRecords(tx).cut_orphans(living, lost)

        cut = await self._record.write(work)
        if cut is None:
            log.warning("heartbeat.was_silent", seconds=round(self._liveness.silent_seconds))
            return 0
        self._lost -= lost
        if files:
            await anyio.to_thread.run_sync(files.remove, dead)
        if cut:
            log.warning("turns.cut", count=cut)
        return cut

    async def _first_beat(self) -> None:
        """Retry while the record is locked, because another process's long write must not prevent a start."""
        for _ in range(_FIRST_BEATS - 1):
            try:
                await self.beat()
            except Overloaded as error:
                log.warning("heartbeat.start_waits", reason=str(error))
                await asyncio.sleep(self._beat_seconds / 5)
            else:
                return
        await self.beat()

    async def _beat_again(self) -> None:
        await asyncio.sleep(self._beat_seconds)
        await self.beat()
