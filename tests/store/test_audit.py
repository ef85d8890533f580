"""Who changed what."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine, select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.store.system_of_record import SystemOfRecord
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.records.audit import AUDIT_LOG, AuditRecords
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id, count_rows

SUBJECT = an_id()


async def test_a_change_is_recorded_with_its_actor(
    record: SystemOfRecord, engine: Engine, workspace_id: UUID, clock: FixedClock
) -> None:
    with record.writing() as tx:
        AuditRecords(tx).acted(Actor(workspace_id, "token:ci"), "agent.publish", SUBJECT, version=1)
    with engine.connect() as connection:
        columns = select(
            AUDIT_LOG.c.actor, AUDIT_LOG.c.action, AUDIT_LOG.c.subject, AUDIT_LOG.c.details, AUDIT_LOG.c.created_at
        )
        assert connection.execute(columns).all() == [
            ("token:ci", "agent.publish", str(SUBJECT), {"version": 1}, clock.now())
        ]


async def test_a_change_that_did_not_happen_is_not_recorded(
    record: SystemOfRecord, engine: Engine, workspace_id: UUID
) -> None:
    with pytest.raises(NotFound):
        await delete_an_absent_agent(record, workspace_id)
    assert await count_rows(engine, AUDIT_LOG) == 0


async def delete_an_absent_agent(record: SystemOfRecord, workspace_id: UUID) -> None:
    with record.writing() as tx:
        AuditRecords(tx).acted(Actor(workspace_id, "token:ci"), "agent.delete", SUBJECT)
        AgentRecords(tx).delete(workspace_id, an_id())


async def hashes(engine: Engine) -> list[tuple[bytes | None, bytes | None]]:
    with engine.connect() as connection:
        columns = select(AUDIT_LOG.c.before_sha256, AUDIT_LOG.c.after_sha256).order_by(
            AUDIT_LOG.c.created_at, AUDIT_LOG.c.id
        )
        return [(before, after) for before, after in connection.execute(columns)]


async def test_it_holds_what_stood_before_the_transaction_and_what_stands_after_it(
    record: SystemOfRecord, engine: Engine, workspace_id: UUID
) -> None:
    with record.writing() as tx:
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
        AuditRecords(tx).acted(Actor(workspace_id, "ci"), "agent.create", agent.id)
    for tone in ("dry", "warm"):
        with record.writing() as tx:
            AgentRecords(tx).save_draft(workspace_id, agent.id, AgentConfig(name="Ada", tone=tone))
            AuditRecords(tx).acted(Actor(workspace_id, "ci"), "agent.edit", agent.id)
    with record.writing() as tx:
        AgentRecords(tx).delete(workspace_id, agent.id)
        AuditRecords(tx).acted(Actor(workspace_id, "ci"), "agent.delete", agent.id)
    (nothing, made), (was_made, dry), (was_dry, warm), (was_warm, gone) = await hashes(engine)
    assert (nothing, gone) == (None, None)
    assert (was_made, was_dry, was_warm) == (made, dry, warm)
    assert len({made, dry, warm}) == 3


async def test_one_changed_behind_the_audit_is_seen(record: SystemOfRecord, engine: Engine, workspace_id: UUID) -> None:
    with record.writing() as tx:
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
        AuditRecords(tx).acted(Actor(workspace_id, "ci"), "agent.create", agent.id)
    with record.writing() as tx:
        AgentRecords(tx).save_draft(workspace_id, agent.id, AgentConfig(name="Eve"))
    with record.writing() as tx:
        AuditRecords(tx).acted(Actor(workspace_id, "ci"), "agent.edit", agent.id)
    (_, known), (found, _) = await hashes(engine)
    assert found != known


async def test_the_log_is_read_latest_first_page_by_page_and_narrowed(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID, clock: FixedClock
) -> None:
    a, b, c = an_id(), an_id(), an_id()
    done = [("ann", "made.close", a), ("bob", "made.ignore", b), ("ann", "madeup.close", b), ("ann", "x", c)]
    for actor, action, subject in done:
        clock.advance(1)
        with record.writing() as tx:
            AuditRecords(tx).acted(Actor(workspace_id, actor), action, subject)
            AuditRecords(tx).acted(Actor(foreign_workspace_id, actor), action, subject, of="others")
    with record.reading() as tx:
        first = AuditRecords(tx).page(workspace_id, PageRequest(limit=3))
        rest = AuditRecords(tx).page(workspace_id, PageRequest(3, first.next_cursor))
        told = [(entry.actor, entry.action, UUID(entry.subject)) for entry in (*first.items, *rest.items)]
        assert told == done[::-1]
        assert [entry.details for entry in first.items] == [{}] * 3
        for only, count in (
            (AuditFilter(actor="bob"), 1),
            (AuditFilter(action="made."), 2),
            (AuditFilter(action="%"), 0),
            (AuditFilter(subject=str(b)), 2),
        ):
            assert len(AuditRecords(tx).page(workspace_id, PageRequest(), only).items) == count


async def test_accounts_of_one_name_are_told_apart(
    record: SystemOfRecord, workspace_id: UUID, clock: FixedClock
) -> None:
    """An address is free again when its account has been deleted, and a token may be named like it."""
    before, after, token = an_id(), an_id(), an_id()
    ann = Actor(workspace_id, "ann@example.com")
    for actor in (replace(ann, operator_id=before), replace(ann, operator_id=after), replace(ann, token_id=token), ann):
        clock.advance(1)
        with record.writing() as tx:
            AuditRecords(tx).acted(actor, "agent.publish", SUBJECT)
    with record.reading() as tx:
        found = AuditRecords(tx).page(workspace_id, PageRequest()).items[::-1]
        assert [(entry.actor, entry.operator_id, entry.token_id) for entry in found] == [
            ("ann@example.com", before, None),
            ("ann@example.com", after, None),
            ("ann@example.com", None, token),
            ("ann@example.com", None, None),
        ]
        for wanted, count in (("ann@example.com", 4), (str(before), 1), (str(after), 1), (str(token), 1)):
            assert len(AuditRecords(tx).page(workspace_id, PageRequest(), AuditFilter(actor=wanted)).items) == count
