"""A transaction over the system of record, and the base of all its repositories. Lists are returned page by page: a
cursor is the sort key of the last item."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any, TypeVar, cast
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from app.agents.agent import AgentConfig
from app.core.chunk import Chunk
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.turn import TurnEnd
from app.kit.cache import RecentValues
from app.kit.clock import Clock
from app.store.schema import UtcDateTime
from app.store.schema import config_from_json as config_from_json
from app.store.schema import config_to_json as config_to_json
from app.store.schema import new_id as new_id
from app.store.schema import row_of as row_of
from app.store.schema import value_of as value_of
from app.store.secret_keys import SecretKeys

Item = TypeVar("Item")
Value = TypeVar("Value")

BATCH_SIZE = 500
MAX_LIMIT = 200
_LARGEST_INT = 2**31 - 1


class Keyset:
    """The columns that order a list; together they are unique. All ascend, or all descend."""

    def __init__(self, *columns: sa.Column[Any] | sa.Label[Any], descending: bool = False) -> None:
        self._columns = columns
        self._descending = descending

    def after(self, statement: sa.Select[Any], page: PageRequest) -> sa.Select[Any]:
        """Select the rows after the page's cursor, in order, and one more than fits on the page."""
        if not 1 <= page.limit <= MAX_LIMIT:
            raise InvalidInput("limit", f"must be between 1 and {MAX_LIMIT}.")
        if page.cursor is not None:
            key = sa.tuple_(*self._columns)
            values = self._decode(page.cursor)
            last = sa.tuple_(
                *(sa.literal(value, column.type) for column, value in zip(self._columns, values, strict=True))
            )
            statement = statement.where(key < last if self._descending else key > last)
        order = [column.desc() if self._descending else column.asc() for column in self._columns]
        return statement.order_by(*order).limit(page.limit + 1)

    def next_cursor(self, rows: Sequence[Any], page: PageRequest) -> str | None:
        if len(rows) <= page.limit:
            return None
        last = rows[page.limit - 1]
        values = [_to_json(getattr(last, column.key)) for column in self._columns]
        raw = json.dumps(values, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    def page(
        self,
        connection: sa.Connection,
        statement: sa.Select[Any],
        page: PageRequest,
        item: Callable[[sa.Row[Any]], Item],
    ) -> ListPage[Item]:
        """Run the statement and return the page; `item` converts a row."""
        rows = connection.execute(self.after(statement, page)).all()
        return ListPage([item(row) for row in rows[: page.limit]], self.next_cursor(rows, page))

    def _decode(self, cursor: str) -> list[Any]:
        refused = InvalidInput("cursor", "is not a cursor of this list. Start again without it.")
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        except (ValueError, binascii.Error, RecursionError) as error:
            raise refused from error
        if not isinstance(values, list) or len(values) != len(self._columns):
            raise refused
        try:
            return [_from_json(column.type, value) for column, value in zip(self._columns, values, strict=True)]
        except (ValueError, OverflowError) as error:
            raise refused from error


def _to_json(value: Any) -> str | int:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return value.hex
    return int(value)


def _from_json(kind: Any, value: Any) -> Any:
    if isinstance(kind, UtcDateTime | sa.Uuid):
        if not isinstance(value, str):
            raise ValueError("not text")
        if isinstance(kind, sa.Uuid):
            return UUID(value)
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError("no zone")
        return moment.astimezone(UTC)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST_INT:
        raise ValueError("not a number of ours")
    return value


def among(name: str) -> sa.BindParameter[Any]:
    """A parameter for any number of values, for a statement that is built once: `column.in_(among("ids"))`."""
    return sa.bindparam(name, expanding=True)


def batches(items: Iterable[Item], size: int = BATCH_SIZE) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class TurnIds:
    """A turn, with its conversation, visitor and agent."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID

    @classmethod
    def from_row(cls, turn: sa.Row[Any]) -> "TurnIds":
        return cls(turn.id, turn.agent_id, turn.visitor_id, turn.conversation_id)


@dataclass(frozen=True, slots=True)
class KnownRows:
    """Rows that are read repeatedly and never change once they exist, as values by their ids. Whether they may be
    shown, and to whom, is queried from the database each time."""

    configs: RecentValues[UUID, AgentConfig] = field(default_factory=lambda: RecentValues(256))  # of published versions
    chunks: RecentValues[str, Chunk] = field(default_factory=lambda: RecentValues(4096))  # of 2 to 3 KB each


@dataclass(frozen=True, slots=True)
class Transaction:
    """The argument of repositories: `GapRecords(tx)`. It is open while the function that it was opened for runs.

    `before` connects to the state before this transaction. `on_turn_end` are called in order, in the transaction in
    which a turn ends. All transactions of a record share `known`.
    """

    connection: sa.Connection
    clock: Clock
    secret_keys: SecretKeys
    before: Callable[[], AbstractContextManager[sa.Connection]]
    on_turn_end: Sequence["TurnEndListener"]
    known: KnownRows


TurnEndListener = Callable[[Transaction, TurnIds, TurnEnd], None]


class Repository:
    """Reads and writes one subject in one transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._connection = tx.connection

    def _value(self, kind: type[Value], statement: sa.Select[Any]) -> Value | None:
        """The value whose fields are the columns of the first row; None without a row."""
        row = self._connection.execute(statement).first()
        return None if row is None else value_of(kind, row)

    def _found(self, kind: type[Value], statement: sa.Select[Any], name: str) -> Value:
        """The value of the first row. Raises NotFound with the `name` of what is missing."""
        return value_of(kind, self._first_row(statement, name))

    def _first_row(
        self, statement: sa.Executable, name: str, parameters: Mapping[str, Any] | None = None
    ) -> sa.Row[Any]:
        """The first row. Raises NotFound with the name of what is missing."""
        row = self._connection.execute(statement, parameters).first()
        if row is None:
            raise NotFound(name)
        return row

    def _values(self, kind: type[Value], statement: sa.Select[Any]) -> list[Value]:
        return [value_of(kind, row) for row in self._connection.execute(statement)]

    def _locked_rows(self, kind: type[Value], table: sa.Table, agent_id: UUID, ids: Sequence[UUID]) -> list[Value]:
        """The agent's rows among `ids`, in that order, locked until the transaction ends."""
        statement = sa.select(table).where(table.c.agent_id == agent_id, table.c.id.in_(ids)).with_for_update()
        found = {row.id: value_of(kind, row) for row in self._connection.execute(statement)}
        return [found[each] for each in ids if each in found]

    def _page(self, order: Keyset, kind: type[Value], statement: sa.Select[Any], page: PageRequest) -> ListPage[Value]:
        return order.page(self._connection, statement, page, lambda row: value_of(kind, row))

    def _add(self, table: sa.Table, value: object = None, **others: Any) -> None:
        """Insert a row. Each column comes from `others`, else the value's field of its name, else its default."""
        self._connection.execute(sa.insert(table), row_of(value, table) | others)

    def _put(self, table: sa.Table, keys: Mapping[str, Any], value: object = None, **others: Any) -> None:
        """Replace the row with the same keys. Columns come from the same sources as in `_add`; columns that the value
        does not have stay unchanged."""
        row = {name: each for name, each in (row_of(value, table) | others).items() if name not in keys}
        statement = self._insert(table).values(**keys, **row)
        self._connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=row))

    def _exists(self, table: sa.Table, row_id: UUID) -> bool:
        return self._connection.scalar(sa.select(table.c.id).where(table.c.id == row_id)) is not None

    def _now(self) -> datetime:
        return self._tx.clock.now()

    def _today(self) -> date:
        return self._now().date()

    @property
    def _dialect(self) -> str:
        """ "sqlite" or "postgresql"."""
        return self._tx.connection.dialect.name

    def _alone(self, purpose: str) -> None:
        """No other transaction passes this call for the same purpose until this one ends. SQLite has one writer."""
        if self._dialect == "postgresql":
            self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(purpose))))

    def _insert(self, table: sa.Table) -> sqlite.Insert:
        """An insert with `on_conflict_...`."""
        return insert_of(self._dialect, table)

    def _update(self, table: sa.Table, *conditions: Any, **values: Any) -> int:
        """Return how many rows matched all conditions."""
        return affected_rows(self._connection.execute(sa.update(table).where(*conditions).values(**values)))

    def _delete(self, table: sa.Table, *conditions: Any) -> int:
        """Return how many rows were deleted: those that matched all conditions."""
        return affected_rows(self._connection.execute(sa.delete(table).where(*conditions)))

    def _update_one(self, table: sa.Table, name: str, /, *conditions: Any, **values: Any) -> None:
        """Raises NotFound, with the name of what is missing, if no row matched all conditions."""
        if not self._update(table, *conditions, **values):
            raise NotFound(name)

    def _delete_one(self, table: sa.Table, name: str, *conditions: Any) -> None:
        """Raises NotFound, like `_update_one`."""
        if not self._delete(table, *conditions):
            raise NotFound(name)


def insert_of(dialect: str, table: sa.Table) -> sqlite.Insert:
    """An insert with `on_conflict_...`, which both dialects spell alike."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return cast(sqlite.Insert, postgresql.insert(table))
    return sqlite.insert(table)


def affected_rows(result: sa.Result[Any]) -> int:
    """How many rows an update or delete affected; -1 on Postgres for one with many sets of parameters."""
    return cast(sa.CursorResult[Any], result).rowcount
