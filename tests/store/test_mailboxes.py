"""Mailboxes and what was read there, on either database."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert

from app.agents.records import AgentRecords
from app.conversations.live_chat import Author
from app.conversations.records.live_chats import LiveChatRecords
from app.core.turn import VisitorSession
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.mailbox.records import KeptMail, MailboxMailRecords, MailboxRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tables.agents import WORKSPACES
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.visitors import DOCS

LEASE = timedelta(minutes=2)
KEYS = MailboxKeys("password")


@pytest.fixture
async def mailbox(record: SystemOfRecord, clock: FixedClock, session: VisitorSession) -> Mailbox:
    made = Mailbox(uuid4(), session.agent_id, clock.now(), "imap.example.com", "help", "help@example.com")
    made = replace(made, uid_validity=2**32 - 1, last_uid=7)
    await record.of_agent(made.agent_id).write(lambda tx: MailboxRecords(tx).put(made, KEYS))
    return made


async def test_a_due_one_is_claimed_by_one_worker_with_its_password(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, mailbox: Mailbox
) -> None:
    until = clock.now() + LEASE
    claimed = [await record.write(lambda tx: MailboxRecords(tx).claim(until, 4)) for _ in range(2)]
    assert claimed == [[(session.workspace_id, mailbox, KEYS)], []]
    clock.advance(LEASE.total_seconds())
    assert await record.write(lambda tx: MailboxRecords(tx).claim(until, 4)), "the first one died"


async def test_a_workspace_has_one_read_at_a_time_so_that_its_slow_servers_hold_up_no_other(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, mailbox: Mailbox
) -> None:
    with record.writing() as tx:
        other = uuid4()
        tx.connection.execute(insert(WORKSPACES).values(id=other, name="other", created_at=clock.now()))
        for workspace_id in (session.workspace_id, other):
            agent = AgentRecords(tx).create(workspace_id, DOCS)
            MailboxRecords(tx).put(replace(mailbox, id=uuid4(), agent_id=agent.id), KEYS)
        rounds = [MailboxRecords(tx).claim(clock.now() + LEASE, 4) for _ in range(3)]
    assert [[workspace_id for workspace_id, *_ in claimed] for claimed in rounds] == [
        [session.workspace_id, other],
        [session.workspace_id],
        [],
    ]


async def test_each_mail_is_done_with_once(record: SystemOfRecord, mailbox: Mailbox) -> None:
    other = replace(mailbox, uid_validity=1)
    done = [
        await record.write(lambda tx, uid=uid, of=of: MailboxRecords(tx).advance(of, uid))  # type: ignore[misc]
        for of, uid in ((mailbox, 8), (mailbox, 8), (mailbox, 7), (other, 9), (mailbox, 9))
    ]
    assert done == [True, False, False, False, True]


@pytest.mark.parametrize(
    "change", [{"folder": "Other"}, {"user": "sales"}, {"host": "imap.example.org"}, {"port": 143}]
)
async def test_whoever_still_reads_what_it_was_changes_nothing(
    change: dict[str, Any], record: SystemOfRecord, clock: FixedClock, mailbox: Mailbox
) -> None:
    changed = replace(mailbox, **change)
    with record.writing() as tx:
        mailboxes = MailboxRecords(tx)
        mailboxes.put(changed, KEYS)
        assert not mailboxes.advance(mailbox, 50)
        mailboxes.begin_at(mailbox, 1, 50)
        mailboxes.rest(mailbox, clock.now() + LEASE, "no such folder")
        assert mailboxes.find(mailbox.agent_id) == changed
        assert mailboxes.claim(clock.now() + LEASE, 4), "it is due"


async def test_what_people_wrote_since_the_last_mail_is_theirs_alone_and_in_order(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, mailbox: Mailbox
) -> None:
    kept = KeptMail(
        mailbox.agent_id, session.visitor_id, session.conversation_id, "ann@example.com", "Lamp", "1@x", "", "7.1"
    )
    with record.writing() as tx:
        MailboxMailRecords(tx).add(kept)
        chat = LiveChatRecords(tx).ask(session)
        for author, text in ((Author.VISITOR, "?"), (Author.OPERATOR, "one"), (Author.OPERATOR, "two")):
            chat = LiveChatRecords(tx).add(chat, uuid4(), author, None, text)
        clock.advance(1)
        assert MailboxMailRecords(tx).waiting(mailbox.agent_id, 20) == [session.conversation_id]
        words = MailboxMailRecords(tx).unsent(session.conversation_id)
        assert words is not None
        assert (words.latest, words.texts, words.number) == (kept, ["one", "two"], 3)
        MailboxMailRecords(tx).add(replace(kept, message_id="ours", place="", mailed_number=3))
        assert MailboxMailRecords(tx).waiting(mailbox.agent_id, 20) == []
        assert MailboxMailRecords(tx).unsent(session.conversation_id) is None
        LiveChatRecords(tx).add(chat, uuid4(), Author.OPERATOR, None, "three")
        words = MailboxMailRecords(tx).unsent(session.conversation_id)
        assert words is not None
        assert (words.latest, words.texts) == (kept, ["three"])
        assert MailboxMailRecords(tx).named(session.visitor_id, ["ours", "2@x"]) is not None
        assert MailboxMailRecords(tx).named(uuid4(), ["ours"]) is None
        assert MailboxMailRecords(tx).read_since(session.visitor_id, clock.now() - LEASE) == 1
