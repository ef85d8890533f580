"""The definitions with which tables are written: ids, column types that behave the same on SQLite and Postgres, what a
table declares, and how a row becomes a value.
"""

import hashlib
import json
import math
import os
import threading
import time
import zlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Row, Table
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

_lock = threading.Lock()
_last_tick = 0


def new_id() -> UUID:
    """A UUIDv7 (RFC 9562). Within one process, each id is greater than all before it, so rows of the same instant keep
    their order, and new rows are appended to their index."""
    global _last_tick
    tick = time.time_ns() * 4096 // 1_000_000  # milliseconds, and 12 bits below them
    with _lock:
        tick = max(tick, _last_tick + 1)
        _last_tick = tick
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    milliseconds, fraction = divmod(tick, 4096)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | random)


def url_key(url: str) -> str:
    """The key by which URLs are found, because they may be longer than an index entry can be."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def page_key(url: str) -> str:
    """A few characters by which the answers that cite a page are found; another page may have the same."""
    return url_key(url)[:8]


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
    visitor's export lists those of their `visitor_id` under the same name, each with the fields of `exported`. Those
    that are `contacts` have `name`, `email`, `message` and `created_at`, which operators see beside a conversation.
    """

    counted_as: str = ""
    meaning: str | None = None
    expire: bool = False
    exported: type[Any] | None = None
    contacts: bool = False


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


class Id(sa.Uuid[UUID]):
    """A UUID: 16 bytes in SQLite, which would keep 32 characters of any other `Uuid`. Both sort alike."""

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], Any] | None:
        return _to_bytes if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], Any] | None:
        return _from_bytes if dialect.name == "sqlite" else super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]


@compiles(Id, "sqlite")
def _blob(_type: Id, _compiler: Any, **_options: Any) -> str:
    return "BLOB"


def _to_bytes(value: UUID | None) -> bytes | None:
    return None if value is None else value.bytes


def _from_bytes(value: bytes | None) -> UUID | None:
    return None if value is None else UUID(bytes=value)


def own_id() -> sa.Column[Any]:
    """A primary key: a UUID that sorts by age."""
    return column("id", Id, primary_key=True, default=new_id)


def parent(name: str, table: str, **options: Any) -> sa.Column[Any]:
    """A foreign key to a row whose erasure erases this one. It gets its own index only if no other index begins with
    it. The column's type is explicit, because the parent's table may not be imported yet."""
    return column(name, Id, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), **options)


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


# What search traces have in common. It must stay as it is: without it, what was packed with it cannot be read.
_COMMON: Final = (
    b'{"stages":[{"stage":"recall","ms":,"vector":50,"keyword":50,"found":},{"stage":"coverage","ms":1.},'
    b'{"stage":"fusion","ms":0.,"method":"score","candidates":,"trust":1.0,"head":["","","","","",""]},'
    b'{"stage":"focus","ms":0.,"head":["","","","","",""],"moved":0},'
    b'{"stage":"threshold","ms":0.,"survivors":,"best":0.,"head":[],"moved":0}],"ranked":['
    b'{"chunk_id":"","url":"https://","title":"","order":1.0,"calibrated":0.,"cosine":0.,"bm25":,'
    b'"coverage":0.,"logit":null,"is_current_page":false},{"chunk_id":"'
)


class PackedJson(TypeDecorator[Any]):
    """JSON that no query looks into, compressed: a fifth of its size where it is a search trace. None is NULL."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> bytes | None:
        if value is None:
            return None
        text = json.dumps(_storable_json(value), ensure_ascii=False, separators=(",", ":"))
        packing = zlib.compressobj(zdict=_COMMON)
        return packing.compress(text.encode()) + packing.flush()

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompressobj(zdict=_COMMON).decompress(value))


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


# Rows become values (frozen dataclasses), and configurations JSON objects and back. A column is converted by the type
# of the field with its name: enums, tuples, and nested dataclasses.
Config = TypeVar("Config")

_PLAIN: Final = frozenset((str, int, float, bool))


def config_to_json(config: Any) -> dict[str, Any]:
    return {key: _plain(value) for key, value in asdict(config).items()}


def config_from_json(kind: type[Config], stored: dict[str, Any]) -> Config:
    """Build a value from stored JSON. Missing fields get their defaults; keys without a field are dropped."""
    hints = _field_types(cast(Hashable, kind))
    known = {key: _value(hints[key], value) for key, value in stored.items() if key in hints}
    return kind(**known)


def value_of(kind: type[Config], row: Row[*tuple[Any, ...]], **others: Any) -> Config:
    """Build a value whose fields are the row's columns of the same names. `others` are fields that no column has; a
    field that is in neither gets its default."""
    stored, fields = row._mapping, _row_fields(cast(Hashable, kind))
    known = {
        name: stored[name] if hint is None else _value(hint, stored[name])
        for name, hint in fields
        if name in stored and name not in others
    }
    return kind(**known, **others)


def row_of(value: object, table: Table) -> dict[str, Any]:
    """The inverse of `value_of`: a dictionary of the table's columns that are fields of the value."""
    columns = (column.name for column in table.columns if hasattr(value, column.name))
    return {name: _stored(getattr(value, name)) for name in columns}


def _stored(value: Any) -> Any:
    """Convert a value for a column. Ids and datetimes stay as they are, because their columns convert them."""
    if isinstance(value, tuple | list | Mapping) or is_dataclass(value):
        return _plain(value)
    return value.value if isinstance(value, Enum) else value


@cache
def _row_fields(kind: Hashable) -> tuple[tuple[str, Any], ...]:
    """Names and types of the fields; the type is None if rows have values of that type."""
    plain = (str, int, float, bool, bytes, datetime, date, UUID)
    of_rows = {one for kind in plain for one in (kind, kind | None)}
    return tuple((name, None if hint in of_rows else hint) for name, hint in _field_types(kind).items())


@cache
def _field_types(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, stored: Any) -> Any:
    if stored is None:
        return None
    if get_origin(hint) is UnionType:  # "date | None"
        [hint] = (kind for kind in get_args(hint) if kind is not type(None))
    if get_origin(hint) is tuple:
        item, *_ = get_args(hint)
        return tuple(_value(item, value) for value in stored)
    if isinstance(hint, type) and is_dataclass(hint):
        return config_from_json(hint, stored)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(stored)
    if isinstance(stored, str) and hint is UUID:
        return UUID(stored)
    if isinstance(stored, str) and hint is date:
        return date.fromisoformat(stored)
    return stored


def _plain(value: Any) -> Any:
    if type(value) in _PLAIN:  # most of a turn's trace; the checks below are expensive
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, UUID | date):
        return str(value)
    return config_to_json(value) if is_dataclass(value) else value
