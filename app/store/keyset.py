"""Lists page by page: a cursor is the sort key of the last item handed over."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Column, Connection, Label, Row, Select, Uuid, literal, tuple_

from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.store.types import UtcDateTime

Item = TypeVar("Item")

MAX_LIMIT = 200
_LARGEST_INT = 2**31 - 1


class Keyset:
    """The columns that order a list; together they are unique. All rise, or all fall."""

    def __init__(self, *columns: Column[Any] | Label[Any], descending: bool = False) -> None:
        self._columns = columns
        self._descending = descending

    def after(self, statement: Select[Any], page: PageRequest) -> Select[Any]:
        """The statement's rows after the page's cursor, and one more than the page holds."""
        if not 1 <= page.limit <= MAX_LIMIT:
            raise InvalidInput("limit", f"must be between 1 and {MAX_LIMIT}.")
        if page.cursor is not None:
            key = tuple_(*self._columns)
            values = self._decode(page.cursor)
            last = tuple_(*(literal(value, column.type) for column, value in zip(self._columns, values, strict=True)))
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
        connection: Connection,
        statement: Select[Any],
        page: PageRequest,
        item: Callable[[Row[Any]], Item],
    ) -> ListPage[Item]:
        """Run the statement, of whose columns the item is made."""
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
    if isinstance(kind, UtcDateTime | Uuid):
        if not isinstance(value, str):
            raise ValueError("not text")
        if isinstance(kind, Uuid):
            return UUID(value)
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError("no zone")
        return moment.astimezone(UTC)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST_INT:
        raise ValueError("not a number of ours")
    return value
