"""Deliveries to other servers: rows that are due, claimed, and then delivered or given up; and a loop that delivers
those of one table at least once."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final, Generic, Protocol, TypeVar
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, Index, Integer, Table, select
from sqlalchemy.schema import SchemaItem

from app.core.errors import DatabaseAway
from app.kit.clock import Clock
from app.store.outbox import Outbox
from app.store.schema import StorableText, UtcDateTime, column, where
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.transaction import Repository, new_id

log = structlog.get_logger(__name__)

# The delay after each failed attempt except the last: there is one more attempt than delays.
RETRY_AFTER: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)


def delivery_columns(table: str) -> tuple[SchemaItem, ...]:
    """The columns that `Deliveries` needs. `next_at` is when a row is due; NULL once it was delivered or given up."""
    return (
        column("attempts", Integer, default=0),
        column("last_error", StorableText, default=""),
        column("next_at", UtcDateTime, nullable=True),
        column("delivered_at", UtcDateTime, nullable=True),
        column("died_at", UtcDateTime, nullable=True),
        Index(f"ix_{table}_waiting", "next_at", **where("next_at IS NOT NULL")),
    )


def retry_delay(attempts: int, luck: float) -> timedelta | None:
    """The pause after `attempts` failed attempts (1..); None if the delivery is given up. `luck` in [0, 1) varies it by
    up to a fifth, so that a receiver that comes back does not get all requests at once."""
    if attempts > len(RETRY_AFTER):
        return None
    return RETRY_AFTER[attempts - 1] * (0.8 + 0.4 * luck)


@dataclass(frozen=True, slots=True)
class DueRow:
    """`id` is the same at each attempt; `attempts` (1..) includes this one."""

    id: UUID
    workspace_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """How many rows wait, how many were given up, and the latest error."""

    waiting: Annotated[int, "Notices waiting to be delivered."] = 0
    given_up: Annotated[int, "Notices that could not be delivered in the last fourteen days."] = 0
    last_error: str = ""


class Deliveries(Repository):
    """Works on a table with the columns `attempts`, `next_at` (when it is due; NULL if it is not), `last_error`,
    `delivered_at` and `died_at`."""

    def __init__(self, tx: Transaction, table: Table) -> None:
        super().__init__(tx)
        self._table = table

    def is_any_due(self) -> bool:
        due = select(self._table.c.id).where(self._table.c.next_at <= self._now()).limit(1)
        return self._connection.scalar(due) is not None

    def claim(self, limit: int, lease_until: datetime) -> list[UUID]:
        """At most `limit` due rows, longest due first, with this attempt counted. Nobody else gets them before
        `lease_until`; a row that is not settled by then counts as failed and is due again."""
        due = (
            select(self._table.c.id)
            .where(self._table.c.next_at <= self._now())
            .order_by(self._table.c.next_at, self._table.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        claimed = list(self._connection.scalars(due))
        self._update(
            self._table, self._table.c.id.in_(claimed), next_at=lease_until, attempts=self._table.c.attempts + 1
        )
        return claimed

    def owe(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that are due at once, with the columns that only this table has; existing rows stay unchanged."""
        own = {"attempts": 0, "last_error": "", "next_at": self._now()}
        if rows:
            owed = [{"id": new_id(), **own, **row} for row in rows]
            self._connection.execute(self._insert(self._table).on_conflict_do_nothing(), owed)

    def revive(self, delivery_id: UUID, is_mine: ColumnElement[bool]) -> bool:
        """Make a delivery that was given up due now, with all its attempts. False if it was not given up."""
        given_up = (self._table.c.id == delivery_id, self._table.c.died_at.is_not(None), is_mine)
        return self._update(self._table, *given_up, next_at=self._now(), died_at=None, attempts=0) > 0

    def delivered(self, delivery_id: UUID) -> None:
        ended = {"next_at": None, "died_at": None, "delivered_at": self._now(), "last_error": ""}
        self._update(self._table, self._table.c.id == delivery_id, **ended)

    def forget_given_up(self, before: datetime) -> int:
        """Delete rows that were given up before the given time, and their outbox rows if no other row refers to them.
        Return the number of deliveries deleted."""
        is_old = self._table.c.died_at < before
        references = [column for column in self._table.c if column.name == "outbox_id"]  # mails have none
        rows = self._connection.execute(select(*references).where(is_old)) if references else ()
        outbox_ids = [row.outbox_id for row in rows]
        forgotten = self._delete(self._table, is_old)
        Outbox(self._tx).drop(outbox_ids)
        return forgotten

    def failed(self, delivery_id: UUID, attempts: int, error: str, luck: float | None) -> bool:
        """Note a failed attempt: the row is due again after `retry_delay`, or given up if that or `luck` is None.
        Returns whether it was given up. A row that was claimed again since has more `attempts`, and stays unchanged."""
        is_ours = (self._table.c.attempts == attempts, self._table.c.delivered_at.is_(None))
        now, delay = self._now(), None if luck is None else retry_delay(attempts, luck)
        due = {"next_at": None, "died_at": now} if delay is None else {"next_at": now + delay, "died_at": None}
        self._update(self._table, self._table.c.id == delivery_id, *is_ours, **due, last_error=error)
        return delay is None


KEPT: Final = timedelta(days=14)  # of rows that were given up

Due = TypeVar("Due", bound=DueRow)
Luck = Callable[[], float]


class DueRows(Protocol[Due]):
    @property
    def deliveries(self) -> Deliveries: ...

    def claim(self, limit: int, lease_until: datetime) -> list[Due]: ...


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A failed attempt. `reason` is for people; `is_final` means that another attempt would not help."""

    reason: str
    is_final: bool = False


Outcome = Callable[[Transaction], None] | Undelivered  # stores that a row was delivered, or why it was not


class DeliveryLoop(ABC, Generic[Due]):
    """Delivers the due rows of one table. `luck` returns numbers in [0, 1), see `retry_delay`.

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
        """Attempt one batch of due rows; return the number of attempts."""
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
        own = self._records.of_workspace(due.workspace_id)
        try:
            outcome = await self._attempt(due)
            if not isinstance(outcome, Undelivered):
                await own.write(outcome)
                return
        except DatabaseAway:
            raise
        except Exception as error:  # a bug counts as a failed attempt, or the row would be due for ever
            log.exception("delivery.raised", row=str(due.id))
            outcome = Undelivered(f"an error of Docent's, which the log describes: {type(error).__name__}")
        reason, luck = outcome.reason, None if outcome.is_final else self._luck()
        is_dead = await own.write(lambda tx: self._rows(tx).deliveries.failed(due.id, due.attempts, reason, luck))
        self._log_failure(due, reason, is_dead=is_dead)

    @abstractmethod
    async def _attempt(self, due: Due) -> Outcome: ...

    @abstractmethod
    def _log_failure(self, due: Due, reason: str, *, is_dead: bool) -> None: ...
