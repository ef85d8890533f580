"""Mails that wait, and who is told what, on either database."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from app.agents.agent import Agent
from app.core.errors import InvalidInput
from app.core.webhook_event import WebhookEvent
from app.mail.mail import Mail, MailLink
from app.mail.records import MailRecords, WaitingMail
from app.store.delivery_loop import DeliveryState
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.notices.notices import NoticeMails
from app.webhooks.notices.records import NoticeRecords
from app.webhooks.records import WebhookRecords
from app.workspaces.operator import Operator, Role
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.mailers import MAILER

MAIL = Mail("ann@example.com", "Hello", ("One.", "Two."), MailLink("Here", "https://docent.example.com/"))
LEASE = timedelta(minutes=10)


async def put(record: SystemOfRecord, workspace_id: UUID, count: int = 1) -> None:
    def work(tx: Transaction) -> None:
        for number in range(count):
            MAILER.put(tx, workspace_id, replace(MAIL, subject=f"Mail {number}"))

    await record.of_workspace(workspace_id).write(work)


async def claim(record: SystemOfRecord, clock: FixedClock) -> list[WaitingMail]:
    return await record.write(lambda tx: MailRecords(tx).claim(5, clock.now() + LEASE))


async def test_each_of_many_workers_claims_other_mails(
    record: SystemOfRecord, clock: FixedClock, workspace_id: UUID
) -> None:
    await put(record, workspace_id, 20)
    claims = await asyncio.gather(*(claim(record, clock) for _ in range(8)))
    subjects = [each.mail.subject for claimed in claims for each in claimed if each.mail]
    assert len(subjects) == len(set(subjects))
    while claimed := await claim(record, clock):
        subjects += [each.mail.subject for each in claimed if each.mail]
    assert sorted(subjects) == sorted(f"Mail {number}" for number in range(20))


async def test_a_mail_is_read_as_it_was_put(record: SystemOfRecord, clock: FixedClock, workspace_id: UUID) -> None:
    await put(record, workspace_id)
    [waiting] = await claim(record, clock)
    assert waiting.mail is not None
    assert waiting.mail.text == MAIL.text
    assert waiting.mail.link == MAIL.link
    assert (waiting.workspace_id, waiting.attempts, waiting.written_at) == (workspace_id, 1, clock.now())


async def test_an_attempt_that_another_has_overtaken_changes_nothing(
    record: SystemOfRecord, clock: FixedClock, workspace_id: UUID
) -> None:
    await put(record, workspace_id)
    [first] = await claim(record, clock)
    clock.advance(LEASE.total_seconds() + 1)
    [second] = await claim(record, clock)
    await record.write(lambda tx: MailRecords(tx).deliveries.failed(first.id, first.attempts, "late", None))
    assert await record.read(lambda tx: MailRecords(tx).state()) == DeliveryState(1, 0, "")
    await record.write(lambda tx: MailRecords(tx).deliveries.failed(second.id, second.attempts, "refused", None))
    assert await record.read(lambda tx: MailRecords(tx).state()) == DeliveryState(0, 1, "refused")


async def test_an_address_that_is_none_stores_nothing(record: SystemOfRecord, workspace_id: UUID) -> None:
    with pytest.raises(InvalidInput):
        await record.write(lambda tx: MAILER.put(tx, workspace_id, replace(MAIL, to="nobody")))
    assert (await record.read(lambda tx: MailRecords(tx).state())).waiting == 0


async def test_news_leave_the_outbox_with_their_mails(
    record: SystemOfRecord, clock: FixedClock, workspace_id: UUID, foreign_workspace_id: UUID, agent: Agent
) -> None:
    def choose(tx: Transaction) -> None:
        for email, workspace in (("ann@example.com", workspace_id), ("eve@example.com", foreign_workspace_id)):
            operator = Operator(uuid4(), workspace, email, Role.VIEWER, clock.now())
            OperatorRecords(tx).add(operator, "hash")
            for events in ((), (WebhookEvent.SOURCE_FAILED,)):  # the later choice holds
                NoticeRecords(tx).choose(operator.id, events)

    def fail_and_hand_out(tx: Transaction) -> None:
        told = {"source_id": str(uuid4()), "run_id": str(uuid4())}
        Outbox(tx).add(agent.id, WebhookEvent.SOURCE_FAILED.value, told)
        while news := WebhookRecords(tx).hand_out(10):
            NoticeMails(MAILER).put(tx, news)

    await record.write(choose)
    await record.write(fail_and_hand_out)
    [waiting] = await claim(record, clock)
    assert waiting.mail is not None
    assert (waiting.mail.to, waiting.mail.subject) == ("ann@example.com", "Ada: a source could not be read")
