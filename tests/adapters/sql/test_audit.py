"""Who changed what."""

from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.adapters.sql.models import AuditRow
from app.adapters.sql.system_of_record import SqlSystemOfRecord
from app.domain.errors import NotFound
from tests.adapters.sql.sample_rows import an_id, count_rows
from tests.doubles.fixed_clock import FixedClock


async def test_a_change_is_recorded_with_its_actor(
    record: SqlSystemOfRecord, engine: AsyncEngine, workspace_id: UUID, clock: FixedClock
) -> None:
    async with record.write() as records:
        await records.audit.record(workspace_id, "token:ci", "agent.publish", "42", {"version": 1})
    async with engine.connect() as connection:
        columns = select(AuditRow.actor, AuditRow.action, AuditRow.subject, AuditRow.details, AuditRow.created_at)
        assert (await connection.execute(columns)).all() == [
            ("token:ci", "agent.publish", "42", {"version": 1}, clock.now())
        ]


async def test_a_change_that_did_not_happen_is_not_recorded(
    record: SqlSystemOfRecord, engine: AsyncEngine, workspace_id: UUID
) -> None:
    with pytest.raises(NotFound):
        await delete_an_absent_agent(record, workspace_id)
    assert await count_rows(engine, AuditRow) == 0


async def delete_an_absent_agent(record: SqlSystemOfRecord, workspace_id: UUID) -> None:
    async with record.write() as records:
        await records.audit.record(workspace_id, "token:ci", "agent.delete", "42", {})
        await records.agents.delete(workspace_id, an_id())
