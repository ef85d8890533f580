"""The definitions with which tables are written: column types that behave the same on SQLite and Postgres, and what a
table declares."""

import json
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

from app.store.time_ordered_id import new_id

METADATA: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


@dataclass(frozen=True, slots=True)
class OfVisitors:
    """Declares that a table's rows are erased with the turn, conversation or visitor that is their `parent`. Receipts
    count them as `counted_as` ("": not at all, or by their own code) and explain them with `meaning`. Those that
    `expire` are also deleted by `agent_id` and `created_at`, once they are older than their agent's retention period. A
    visitor's export lists those of their `visitor_id` under the same name, each with the fields of `exported`.
    """

    counted_as: str = ""
    meaning: str | None = None
    expire: bool = False
    exported: type[Any] | None = None


@dataclass(frozen=True, slots=True)
class Audited:
    """Declares that a table's rows are subjects of audited actions whose first word is `kind`, such as "agent" in
    "agent.publish"; the subject's id is in the column `key`. The audit stores a hash of them without the columns that
    are `unhashed`. `name` returns what people call a row. Visitors' data is excluded: not even a hash of what they
    wrote outlives its erasure."""

    kind: str
    name: Callable[[sa.Row[Any]], str] | None = None
    key: str = "id"
    unhashed: tuple[str, ...] = ()


def table(name: str, *parts: SchemaItem | OfVisitors | Audited) -> sa.Table:
    columns = [part for part in parts if isinstance(part, SchemaItem)]
    info = {type(part): part for part in parts if not isinstance(part, SchemaItem)}
    return sa.Table(name, METADATA, *columns, info=info)


def column(name: str, kind: Any, *parts: SchemaItem, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, *parts, nullable=nullable, **options)


def own_id() -> sa.Column[Any]:
    """A UUID that sorts by age."""
    return column("id", sa.Uuid, primary_key=True, default=new_id)


def parent(name: str, table: str, **options: Any) -> sa.Column[Any]:
    """The id of a row whose erasure erases this one. It gets its own index only if no other index begins with it. The
    column's type is explicit, because the parent's table may not be imported yet."""
    return column(name, sa.Uuid, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), **options)


def where(condition: str) -> dict[str, Any]:
    """Options of an `sa.Index` over only those rows."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC. SQLite drops the time zone, so naive values are rejected and UTC is added on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime cannot be stored; say its zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class StorableText(TypeDecorator[str]):
    """Text from browsers and websites. Characters that no database can store (NUL, lone surrogates) become U+FFFD."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        return None if value is None else storable(value)


class StorableJson(TypeDecorator[Any]):
    """JSON: text in SQLite, JSONB in Postgres. Numbers that JSON lacks (NaN, infinity) become null."""

    impl = sa.JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> TypeEngine[Any]:
        if dialect.name != "postgresql":
            return dialect.type_descriptor(sa.JSON())
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB())

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> Any:
        return _storable_json(value)


class PackedJson(TypeDecorator[Any]):
    """JSON that no query looks into, compressed: a third of its size. None is NULL."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> bytes | None:
        if value is None:
            return None
        text = json.dumps(_storable_json(value), ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode())

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompress(value))


def storable(text: str) -> str:
    """The text without characters that a UTF-8 database rejects."""
    text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(str(key)): _storable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_json(item) for item in value]
    return value
