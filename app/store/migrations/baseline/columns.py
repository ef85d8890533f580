"""What the baseline is written with, which may not change with what `app.store.tables` is written with."""

from typing import Any, Final

from sqlalchemy import JSON as PLAIN_JSON
from sqlalchemy import Column, DateTime, ForeignKey, Index, MetaData, Table, Text, Uuid
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem

MOMENT: Final = DateTime(timezone=True)
TEXT: Final = Text()
JSON: Final = PLAIN_JSON().with_variant(JSONB(), "postgresql")
METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


# An index is a part of its own, not an option of a column: SQLite copies a table to alter it, and would name the index
# after the copy.
def table(name: str, *parts: SchemaItem) -> None:
    Table(name, METADATA, *parts)


def column(name: str, kind: Any, *parts: SchemaItem, nullable: bool = False, **options: Any) -> Column[Any]:
    return Column(name, kind, *parts, nullable=nullable, **options)


def columns(kind: Any, *names: str, **options: Any) -> list[Column[Any]]:
    return [column(name, kind, **options) for name in names]


def own_id() -> Column[Any]:
    return column("id", Uuid, primary_key=True)


def parent(name: str, table: str, **options: Any) -> Column[Any]:
    return column(name, Uuid, ForeignKey(f"{table}.id", ondelete="CASCADE"), **options)


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=sql(where), postgresql_where=sql(where))
