"""A table says what becomes of rows that go with a visitor, and that becomes of them."""

from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import pytest
from sqlalchemy import Column, Engine, ForeignKey, MetaData, Table, Uuid, select, update

from app.conversations.privacy.records import RetentionRecords, VisitorRecords
from app.conversations.privacy.rights import RetentionPeriod
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables, tables_of_visitors
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS, TURNS, VISITORS
from tests.store.filled_tables import ROWS, fill
from tests.store.sample_rows import count_rows

KEYS: Final = {"turn_id", "conversation_id", "visitor_id"}
KEPT: Final = {"usage": "what turns cost stays, under ids that lead nowhere"}
BY_CODE_OF_THEIR_OWN: Final = {"conversations", "turns", "gaps", "gap_questions", "stale_answers", "stale_tellings"}
LATER: Final = datetime(2027, 1, 1, tzinfo=UTC)


def undeclared(tables: Iterable[Table]) -> list[str]:
    """Those that refer to what goes with a visitor, and do not say what becomes of it."""
    declared = {VISITORS, *tables_of_visitors()}
    return [
        table.name
        for table in tables
        if table not in declared
        and (KEYS & set(table.columns.keys()) or any(key.column.table in declared for key in table.foreign_keys))
    ]


def test_every_table_that_refers_to_a_visitor_says_what_becomes_of_its_rows() -> None:
    assert undeclared(all_tables().sorted_tables) == list(KEPT)


@pytest.mark.parametrize("column", [Column("visitor_id", Uuid), Column("about", Uuid, ForeignKey(TURNS.c.id))])
def test_a_new_one_that_says_nothing_is_found(column: Column[UUID]) -> None:
    assert undeclared([Table("surveys", MetaData(), column)]) == ["surveys"]


def test_no_two_of_them_are_counted_under_one_name() -> None:
    names = [kind.counted_as for kind in tables_of_visitors().values() if kind.counted_as]
    assert len({*names, *BY_CODE_OF_THEIR_OWN}) == len(names) + len(BY_CODE_OF_THEIR_OWN)
    assert all(kind.counted_as for kind in tables_of_visitors().values() if kind.expire)


def test_what_is_exported_has_a_name_a_meaning_and_columns() -> None:
    exported = [(table, kind, kind.exported) for table, kind in tables_of_visitors().items() if kind.exported]
    assert exported
    for table, kind, row in exported:
        assert kind.counted_as
        assert kind.meaning
        assert {"visitor_id", "created_at", *(field.name for field in fields(row))} <= set(table.columns.keys())


async def test_a_visitor_who_is_erased_has_no_row_left_and_a_receipt_of_each(
    record: SystemOfRecord, engine: Engine
) -> None:
    workspace_id, _, visitor_id, _ = first_of_all(engine)
    with record.writing() as tx:
        erasure = VisitorRecords(tx).erase(workspace_id, visitor_id)
    assert await rows_of_visitors(engine) == {ROWS - 1: {table.name for table in tables_of_visitors()}}
    assert await count_rows(engine, VISITORS) == ROWS - 1
    assert set(erasure.rows.values()) == {1}


async def test_a_conversation_that_is_erased_leaves_its_visitor(record: SystemOfRecord, engine: Engine) -> None:
    workspace_id, _, _, conversation_id = first_of_all(engine)
    with record.writing() as tx:
        erasure = VisitorRecords(tx).erase_conversation(workspace_id, conversation_id)
    assert await rows_of_visitors(engine) == {ROWS - 1: {table.name for table in tables_of_visitors()}}
    assert await count_rows(engine, VISITORS) == ROWS
    assert set(erasure.rows.values()) == {1}


async def test_what_expires_goes_by_its_own_age_while_its_conversation_goes_on(
    record: SystemOfRecord, engine: Engine
) -> None:
    workspace_id, agent_id, _, _ = first_of_all(engine)
    with engine.begin() as connection:
        connection.execute(update(TURNS).values(created_at=LATER))
    with record.writing() as tx:
        erased = RetentionRecords(tx).erase(RetentionPeriod(agent_id, workspace_id, 1), LATER, 10)
    expired = {table: kind for table, kind in tables_of_visitors().items() if kind.expire}
    assert {name for name, count in erased.items() if count} == {kind.counted_as for kind in expired.values()}
    left = await rows_of_visitors(engine)
    assert {table.name for table in expired} <= left[ROWS - 1]
    assert "turns" in left[ROWS]


async def test_all_of_it_goes_once_all_of_it_is_old(record: SystemOfRecord, engine: Engine) -> None:
    workspace_id, agent_id, _, _ = first_of_all(engine)
    with record.writing() as tx:
        erased = RetentionRecords(tx).erase(RetentionPeriod(agent_id, workspace_id, 1), LATER, 10)
    assert set(erased.values()) == {1}
    assert await rows_of_visitors(engine) == {ROWS - 1: {table.name for table in tables_of_visitors()}}


def first_of_all(engine: Engine) -> tuple[UUID, UUID, UUID, UUID]:
    """Fill all tables; the first rows belong to this workspace, agent, visitor and conversation."""
    fill(engine)
    ids = select(AGENTS.c.workspace_id, AGENTS.c.id, VISITORS.c.id, CONVERSATIONS.c.id)
    joined = ids.join(VISITORS, VISITORS.c.agent_id == AGENTS.c.id).join(CONVERSATIONS)
    with engine.connect() as connection:
        workspace_id, agent_id, visitor_id, conversation_id = connection.execute(
            joined.order_by(CONVERSATIONS.c.created_at)
        ).first() or pytest.fail("no visitor")
    return workspace_id, agent_id, visitor_id, conversation_id


async def rows_of_visitors(engine: Engine) -> dict[int, set[str]]:
    """The tables of visitors by how many rows they have."""
    found: dict[int, set[str]] = {}
    for table in tables_of_visitors():
        found.setdefault(await count_rows(engine, table), set()).add(table.name)
    return found
