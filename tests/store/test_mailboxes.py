"""Mailboxes and what was read there, on either database."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from app.conversations.live_chat import Author
from app.conversations.records.live_chats import LiveChatRecords
from app.core.turn import VisitorSession
from app.mailbox.mailbox import Mailbox
from app.mailbox.records import KeptMail, MailboxMailRecords, MailboxRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock

LEASE = timedelta(minutes=2)


@pytest.fixture
async def mailbox(record: SystemOfRecord, clock: FixedClock, session: VisitorSession) -> Mailbox:
    made = Mailbox(uuid4(), session.agent_id, clock.now(), "imap.example.com", "help", "help@example.com")
    made = replace(made, uid_validity=2**32 - 1, last_uid=7)
    await record.of_agent(made.agent_id).write(lambda tx: MailboxRecords(tx).put(made, "password"))
    return made


async def test_a_due_one_is_claimed_by_one_worker_with_its_password(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, mailbox: Mailbox
) -> None:
    until = clock.now() + LEASE
    claimed = [await record.write(lambda tx: MailboxRecords(tx).claim(until)) for _ in range(2)]
    assert claimed == [(session.workspace_id, mailbox, "password"), None]
    clock.advance(LEASE.total_seconds())
    assert await record.write(lambda tx: MailboxRecords(tx).claim(until)) is not None, "the first one died"


async def test_each_mail_is_done_with_once(record: SystemOfRecord, mailbox: Mailbox) -> None:
    other = replace(mailbox, uid_validity=1)
    done = [
        await record.write(lambda tx, uid=uid, of=of: MailboxRecords(tx).advance(of, uid))  # type: ignore[misc]
        for of, uid in ((mailbox, 8), (mailbox, 8), (mailbox, 7), (other, 9), (mailbox, 9))
    ]
    assert done == [True, False, False, False, True]


async def test_what_people_wrote_since_the_last_mail_is_theirs_alone_and_in_order(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, mailbox: Mailbox
) -> None:
    kept = KeptMail(
        mailbox.id, session.visitor_id, session.conversation_id, "ann@example.com", "Lamp", "1@x", "", "7.1"
    )
    with record.writing() as tx:
        MailboxMailRecords(tx).add(kept)
        chat = LiveChatRecords(tx).ask(session)
        for author, text in ((Author.VISITOR, "?"), (Author.OPERATOR, "one"), (Author.OPERATOR, "two")):
            chat = LiveChatRecords(tx).add(chat, uuid4(), author, None, text)
        clock.advance(1)
        [words] = MailboxMailRecords(tx).unsent(mailbox.id, 20)
        assert (words.latest, words.texts, words.number) == (kept, ["one", "two"], 3)
        MailboxMailRecords(tx).add(replace(kept, message_id="ours", place="", told_number=3))
        assert MailboxMailRecords(tx).unsent(mailbox.id, 20) == []
        LiveChatRecords(tx).add(chat, uuid4(), Author.OPERATOR, None, "three")
        [words] = MailboxMailRecords(tx).unsent(mailbox.id, 20)
        assert (words.latest, words.texts) == (kept, ["three"])
        assert MailboxMailRecords(tx).named(mailbox.id, session.visitor_id, ["ours", "2@x"]) is not None
        assert MailboxMailRecords(tx).named(mailbox.id, uuid4(), ["ours"]) is None
        assert MailboxMailRecords(tx).read_since(mailbox.id, session.visitor_id, clock.now() - LEASE) == 1
