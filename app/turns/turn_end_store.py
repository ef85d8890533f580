"""Stores how a turn ended, however long the record is unavailable. `done` is a receipt: it is sent after this."""

from collections.abc import Callable
from itertools import chain, repeat
from time import monotonic
from typing import Final
from uuid import UUID

import anyio
import structlog

from app.conversations.records.turns import TurnRecords
from app.core.errors import Overloaded, Unavailable
from app.core.turn import TurnEnd, VisitorSession
from app.kit.tracing import traced
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

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
