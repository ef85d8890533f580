"""Says that this process lives, and ends the turns of those that no longer do."""

import asyncio
from types import TracebackType
from typing import Final, Self
from uuid import UUID

import structlog

from app.conversations.records.turns import TurnRecords
from app.core.errors import Overloaded, Unavailable
from app.kit.tasks.supervisor import Supervisor, end_task
from app.store.processes import ProcessRecords
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

KIND = "web"
_DEAD_AFTER_SECONDS: Final = 20
_FIRST_BEATS: Final = 12  # attempts, each of which waits for its turn to write (5 s on SQLite)


class Heartbeat:
    """Beats while its block runs. A process that was silent for _DEAD_AFTER_SECONDS counts as dead: its running
    turns become `cut`, so that their conversations are free again, and so do its own `lost` ones, which the set then
    no longer holds. One that was only stopped for so long goes on with its turns, and the end of one takes the place of
    the cut."""

    def __init__(
        self,
        record: SystemOfRecord,
        process: str,
        *,
        beat_seconds: float = 5.0,
        supervisor: Supervisor | None = None,
        lost: set[UUID] | None = None,
    ) -> None:
        self._record = record
        self._lost = set() if lost is None else lost
        self._process = process
        self._beat_seconds = beat_seconds
        self._supervisor = supervisor or Supervisor()
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._first_beat()
        beating = self._supervisor.keep_going("heartbeat", self._beat_again, rest_seconds=0)
        self._beating = asyncio.create_task(beating, name="heartbeat")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._beating:
            await end_task(self._beating)
        try:
            await self._record.write(lambda tx: ProcessRecords(tx).leave(self._process))
        except (Overloaded, Unavailable) as error:  # silence says the same, a little later
            log.warning("heartbeat.leave_failed", reason=str(error))

    async def beat(self) -> int:
        """Say that we live; return how many turns of the dead were cut.

        After a silence of our own nobody is judged until the next beat: what stopped us, be it the machine or the
        database, may have stopped the others as well.
        """

        lost = frozenset(self._lost)

        def work(tx: Transaction) -> tuple[float, int]:
            silent_seconds = ProcessRecords(tx).beat(self._process, KIND)
            if silent_seconds > _DEAD_AFTER_SECONDS / 2:
                return silent_seconds, 0
            living = ProcessRecords(tx).living(KIND, _DEAD_AFTER_SECONDS)
            return 0, TurnRecords(tx).cut_orphans(living, lost)

        silent_seconds, cut = await self._record.write(work)
        if silent_seconds:
            log.warning("heartbeat.was_silent", seconds=round(silent_seconds))
        else:
            self._lost -= lost
        if cut:
            log.warning("turns.cut", count=cut)
        return cut

    async def _first_beat(self) -> None:
        """Others may be at work on the record for long, or be stopped while they hold it: no reason not to start."""
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
