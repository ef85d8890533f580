"""All tables as they were when the migrations of before became one, read from `baseline.json`: never changed once
released. `tests.store.baseline_writing` writes that file."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    false,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

AS_JSON: Final = JSON().with_variant(JSONB(), "postgresql")
TYPES: Final[Mapping[str, Callable[..., TypeEngine[Any]]]] = {
    "uuid": Uuid,
    "text": Text,
    "string": String,
    "bytes": LargeBinary,
    "json": lambda: AS_JSON,
    "boolean": Boolean,
    "smallint": SmallInteger,
    "integer": Integer,
    "bigint": BigInteger,
    "double": Double,
    "float": Float,
    "date": Date,
    "moment": lambda: DateTime(timezone=True),
}
"""The database's own types by their names in the file. `string 20` has at most 20 characters, `text?` may be null."""
_BOOLEANS: Final = {"true": true(), "false": false()}  # which SQLite writes as numbers


def _table(name: str, columns: dict[str, str], **facts: Any) -> None:
    """An index is a part of its own, not an option of a column: SQLite copies a table to alter it, and would name the
    index after the copy."""
    key, parents, defaults = facts["key"], facts.get("parents", {}), facts.get("defaults", {})
    unique = [UniqueConstraint(*names) for names in facts.get("unique", [])]
    made = [_column(each, kind, each in key, parents.get(each), defaults.get(each)) for each, kind in columns.items()]
    Table(name, METADATA, *made, *unique)
    for index, (is_unique, names, where) in facts.get("indexes", {}).items():
        only = text(where) if where else None
        Index(
            index,
            *(METADATA.tables[name].c[each] for each in names),
            unique=is_unique,
            sqlite_where=only,
            postgresql_where=only,
        )


def _column(name: str, written: str, is_key: bool, parent: list[str] | None, default: str | None) -> Column[Any]:
    kind, _, size = written.removesuffix("?").partition(" ")
    return Column(
        name,
        TYPES[kind](int(size)) if size else TYPES[kind](),
        *([ForeignKey(f"{parent[0]}.id", ondelete=parent[1])] if parent else []),
        primary_key=is_key,
        nullable=written.endswith("?"),
        server_default=_BOOLEANS.get(default, text(default)) if default is not None else None,
    )


METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
for _name, _facts in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items():
    _table(_name, **_facts)
