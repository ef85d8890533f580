"""Rows in every table, whatever tables there are."""

from datetime import UTC, date, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Engine,
    Float,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    Uuid,
    insert,
    update,
)

from app.store.schema import PackedJson, StorableJson, StorableText, UtcDateTime, page_key
from app.store.tables import all_tables
from app.store.tables.agents import PROCESSES
from app.store.tables.conversations import CITATIONS
from tests.store.sample_rows import an_id

ROWS: Final = 3


def fill(engine: Engine) -> None:
    """A few rows in every table, each column with values that databases keep in ways of their own. The first rows of
    all tables belong together, as do the second ones."""
    parents: dict[tuple[str, str], list[Any]] = {}
    with engine.begin() as connection:
        for table in all_tables().sorted_tables:
            rows = [
                {column.name: _value(table, column, number, parents) for column in table.columns}
                for number in range(ROWS)
            ]
            connection.execute(insert(table), rows)
            for column in table.columns:
                parents[table.name, column.name] = [row[column.name] for row in rows]
        connection.execute(update(PROCESSES).values(beaten_at=datetime(2026, 1, 1, tzinfo=UTC)))


def _value(table: Table, column: Column[Any], number: int, parents: dict[tuple[str, str], list[Any]]) -> Any:
    for key in column.foreign_keys:
        return parents[key.column.table.name, key.column.name][number]
    if column.nullable and number == ROWS - 1:
        return None
    if column is CITATIONS.c.pages:
        return " ".join(sorted(page_key(f"https://docs.example/{page}") for page in (number, "é")))
    if column is CITATIONS.c.citations:
        first = {
            "id": 1,
            "url": f"https://docs.example/{number}#a",
            "title": "\ufffd \U0001f642",
            "as_of": "2026-02-26",
        }
        third = {"id": 3, "url": "https://docs.example/é", "title": "", "as_of": None, "chunk_id": None}
        return [first | {"chunk_id": "c1", "quote": "é", "passage": ""}, third | {"quote": None, "passage": None}]
    match column.type:
        case Uuid():
            return an_id()
        case UtcDateTime():
            return datetime(2026, 3, 29, 2, 30, number, 1 + number, tzinfo=UTC)
        case Date():
            return date(2026, 2, 26 + number)
        case Boolean():
            return bool(number)
        case BigInteger():
            return 2**40 + number
        case Integer():
            return number - 1
        case Float():
            return (0.1, 1e16, 1 / 3)[number]
        case LargeBinary():
            return bytes([number, *range(31)])
        case StorableJson() | PackedJson() | JSON():
            return {"z": [number, 1e16, 0.1, -0.0, 1e-7, None, True, "\u0000 \U0001f642"], "a": {"é": "", "b": 2**53}}
        case StorableText() | Text() | String():
            return f"{number} é \U0001f642"[: getattr(column.type, "length", None)]
    raise AssertionError(f"{table.name}.{column.name}: what does {column.type!r} hold?")
