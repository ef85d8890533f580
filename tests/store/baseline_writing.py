"""Writes tables down as the baseline of migrations keeps them: `app/store/migrations/baseline.json`.

Usage, when today's tables become the baseline: python -m tests.store.baseline_writing
"""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import Column, DefaultClause, ForeignKey, Index, MetaData, Table, UniqueConstraint
from sqlalchemy.types import TypeDecorator, TypeEngine

from app.store.migrations import baseline
from app.store.tables import all_tables

PATH = Path(baseline.__file__).with_suffix(".json")


def written(tables: MetaData) -> str:
    """A line for each fact of a table, so that two baselines can be compared."""
    return "{\n" + ",\n".join(map(_table, tables.tables.values())) + "\n}\n"


def _table(table: Table) -> str:
    facts = {
        "columns": {column.name: _column(column) for column in table.columns},
        "defaults": {
            column.name: str(column.server_default.arg)
            for column in table.columns
            if isinstance(column.server_default, DefaultClause)
        },
        "key": [column.name for column in table.primary_key],
        "parents": {key.parent.name: _parent(key) for column in table.columns for key in column.foreign_keys},
        "unique": sorted(_names(each) for each in table.constraints if isinstance(each, UniqueConstraint)),
        "indexes": {str(each.name): _index(each) for each in sorted(table.indexes, key=lambda index: str(index.name))},
    }
    lines = [f"    {json.dumps(name)}: {json.dumps(fact)}" for name, fact in facts.items() if fact]
    return f"  {json.dumps(table.name)}: {{\n" + ",\n".join(lines) + "\n  }"


def _column(column: Column[Any]) -> str:
    kind: TypeEngine[Any] = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    name = next(name for name, known in baseline.TYPES.items() if type(known()) is type(kind))
    size = getattr(kind, "length", None) or getattr(kind, "precision", None)
    return name + f" {size}" * bool(size) + "?" * bool(column.nullable)


def _parent(key: ForeignKey) -> list[str]:
    return [key.column.table.name, str(key.ondelete)]


def _index(index: Index) -> list[Any]:
    where = index.dialect_options["postgresql"]["where"]
    return [index.unique, _names(index), "" if where is None else str(where)]


def _names(part: Any) -> list[str]:
    return [column.name for column in part.columns]


if __name__ == "__main__":
    PATH.write_text(written(all_tables()), "utf-8")
