"""One transaction over the system of record, and what every repository in it is built on."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import CursorResult, Result, Table, delete
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.domain.turn import TurnEnd
from app.ports.clock import Clock
from app.store.models.base import Base
from app.store.secret_keys import SecretKeys


@dataclass(frozen=True, slots=True)
class TurnIds:
    """A turn, and whose it is."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID


@dataclass(frozen=True, slots=True)
class Transaction:
    """What repositories are made of: `GapRecords(tx)`. It is open while the block runs that it was opened for.

    `committed` has connections that see what stood before this transaction. `on_turn_end` are called in turn, in the
    transaction in which a turn ends.
    """

    session: AsyncSession
    clock: Clock
    secret_keys: SecretKeys
    committed: AsyncEngine
    on_turn_end: Sequence["TurnEndListener"]


TurnEndListener = Callable[[Transaction, TurnIds, TurnEnd], Awaitable[None]]


class Repository:
    """Reads and writes one subject in one transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._session = tx.session

    def _now(self) -> datetime:
        return self._tx.clock.now()

    def _today(self) -> date:
        return self._now().date()

    def _insert(self, table: type[Base] | Table) -> sqlite.Insert:
        """An insert that knows `on_conflict_...`, which both dialects spell alike. Many rows go into a bare table, and
        not into its class, in a fifth of the time."""
        if self._session.get_bind().dialect.name == "postgresql":
            from sqlalchemy.dialects import postgresql

            return cast(sqlite.Insert, postgresql.insert(table))
        return sqlite.insert(table)

    async def _delete(self, table: type[Base], condition: Any) -> int:
        """Return how many rows are gone."""
        return affected_rows(await self._session.execute(delete(table).where(condition)))


def affected_rows(result: Result[Any]) -> int:
    """How many rows an update or delete touched; -1 on Postgres for one with many sets of parameters."""
    return cast(CursorResult[Any], result).rowcount
