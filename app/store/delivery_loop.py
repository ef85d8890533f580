"""Delivers the due rows of a table to somebody else's server, at least once."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from app.kit.clock import Clock
from app.store.deliveries import Deliveries, DueRow
from app.store.system_of_record import SystemOfRecord, Transaction

KEPT: Final = timedelta(days=14)  # what was given up

Due = TypeVar("Due", bound=DueRow)
Luck = Callable[[], float]


class DueRows(Protocol[Due]):
    @property
    def deliveries(self) -> Deliveries: ...

    def claim(self, limit: int, lease_until: datetime) -> list[Due]: ...


@dataclass(frozen=True, slots=True)
class Undelivered:
    """`reason` is for people; `is_final` if another attempt would not help."""

    reason: str
    is_final: bool = False


Outcome = Callable[[Transaction], None] | Undelivered  # what stores that a row was delivered, or why it was not


class DeliveryLoop(ABC, Generic[Due]):
    """`luck` returns numbers in [0, 1), see `retry_delay`.

    An attempt is counted before it is made, and no transaction is open meanwhile. If a process dies between the
    server's response and its own commit, the row stays claimed: after LEASE it is sent again, with the same id.
    """

    LEASE: ClassVar = timedelta(minutes=2)  # longer than any batch takes
    BATCH: ClassVar = 8

    def __init__(
        self, records: SystemOfRecord, rows: Callable[[Transaction], DueRows[Due]], clock: Clock, luck: Luck
    ) -> None:
        self._records = records
        self._rows = rows
        self._clock = clock
        self._luck = luck

    async def deliver(self) -> int:
        """One batch of due rows; return the number of attempts."""
        if not await self._records.read(self._has_work):
            return 0
        claimed = await self._records.write(self._claim)
        await self._settle_all(claimed)
        return len(claimed)

    async def forget(self) -> int:
        """Delete rows that were given up long ago; return how many."""
        before = self._clock.now() - KEPT
        return await self._records.write(lambda tx: self._rows(tx).deliveries.forget_given_up(before))

    def _has_work(self, tx: Transaction) -> bool:
        return self._rows(tx).deliveries.is_any_due()

    def _claim(self, tx: Transaction) -> list[Due]:
        return self._rows(tx).claim(self.BATCH, self._clock.now() + self.LEASE)

    async def _settle_all(self, claimed: Sequence[Due]) -> None:
        await asyncio.gather(*map(self._settle, claimed))

    async def _settle(self, due: Due) -> None:
        outcome, own = await self._attempt(due), self._records.of_workspace(due.workspace_id)
        if not isinstance(outcome, Undelivered):
            await own.write(outcome)
            return
        reason, luck = outcome.reason, None if outcome.is_final else self._luck()
        is_dead = await own.write(lambda tx: self._rows(tx).deliveries.failed(due.id, due.attempts, reason, luck))
        self._log_failure(due, reason, is_dead=is_dead)

    @abstractmethod
    async def _attempt(self, due: Due) -> Outcome: ...

    @abstractmethod
    def _log_failure(self, due: Due, reason: str, *, is_dead: bool) -> None: ...
