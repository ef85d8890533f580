"""The definitions with which tables are written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

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


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    condition = sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
