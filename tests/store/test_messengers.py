"""Messengers and what was asked there, on either database."""

from datetime import timedelta
from uuid import uuid4

import pytest

from app.core.errors import NotFound
from app.core.turn import Channel, VisitorSession
from app.messengers.messenger import Messenger, MessengerKeys, MessengerKind, MessengerQuestion
from app.messengers.records import MessengerQuestionRecords, MessengerRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock

KEYS = MessengerKeys("signing", "token")
LEASE = timedelta(minutes=5)
NOW = timedelta(0)


@pytest.fixture
async def messenger(record: SystemOfRecord, clock: FixedClock, session: VisitorSession) -> Messenger:
    made = Messenger(uuid4(), session.agent_id, MessengerKind.DISCORD, clock.now())
    await record.of_agent(made.agent_id).write(lambda tx: MessengerRecords(tx).put(made, KEYS))
    return made


async def put(record: SystemOfRecord, messenger: Messenger, asked: MessengerQuestion, delay: timedelta = NOW) -> None:
    own = record.of_agent(messenger.agent_id)
    await own.write(lambda tx: MessengerQuestionRecords(tx).put(messenger, Channel.DISCORD, asked, delay))


async def test_a_question_is_claimed_by_one_worker_with_what_answers_it(
    record: SystemOfRecord, clock: FixedClock, session: VisitorSession, messenger: Messenger
) -> None:
    asked = MessengerQuestion("e" * 300, "discord:1", "How long?\x00", "C1", {"token": "t"})
    for _ in range(2):
        await put(record, messenger, asked, timedelta(seconds=1))
    until = clock.now() + LEASE
    assert await record.write(lambda tx: MessengerQuestionRecords(tx).claim(8, until)) == []
    clock.advance(1)
    claimed = [await record.write(lambda tx: MessengerQuestionRecords(tx).claim(8, until)) for _ in range(2)]
    [[due], []] = claimed
    assert (due.workspace_id, due.agent_id, due.service) == (
        session.workspace_id,
        messenger.agent_id,
        MessengerKind.DISCORD,
    )
    assert (due.question, due.reply_to, due.keys, due.attempts) == ("How long?\ufffd", {"token": "t"}, KEYS, 1)


async def test_one_that_was_answered_is_never_due_again_and_says_when(
    record: SystemOfRecord, clock: FixedClock, messenger: Messenger
) -> None:
    own = record.of_agent(messenger.agent_id)
    await put(record, messenger, MessengerQuestion("1", "discord:1", "How long?", "C1", {}))
    [due] = await record.write(lambda tx: MessengerQuestionRecords(tx).claim(8, clock.now() + LEASE))
    await own.write(lambda tx: MessengerQuestionRecords(tx).answered(due.id, "m"))
    answered_at = clock.now()
    clock.advance(LEASE.total_seconds())
    assert await record.write(lambda tx: MessengerQuestionRecords(tx).claim(8, clock.now() + LEASE)) == []
    await put(record, messenger, MessengerQuestion("2", "discord:1", "And then?", "C1", {}))
    [found] = await own.read(lambda tx: MessengerRecords(tx).messengers(messenger.agent_id))
    assert (found.answered_at, found.last_error) == (answered_at, "")


async def test_its_keys_are_replaced_and_go_with_it(record: SystemOfRecord, messenger: Messenger) -> None:
    own = record.of_agent(messenger.agent_id)
    other = MessengerKeys("another")
    await own.write(lambda tx: MessengerRecords(tx).put(messenger, other))
    found = await own.read(lambda tx: MessengerRecords(tx).find(messenger.agent_id, messenger.kind))
    assert found == (messenger, other)
    assert await own.read(lambda tx: MessengerRecords(tx).find(messenger.agent_id, MessengerKind.SLACK)) is None
    with pytest.raises(NotFound):
        await own.write(lambda tx: MessengerRecords(tx).clear(uuid4(), messenger.id))
    await put(record, messenger, MessengerQuestion("1", "discord:1", "How long?", "C1", {}))
    await own.write(lambda tx: MessengerRecords(tx).clear(messenger.agent_id, messenger.id))
    assert await own.read(lambda tx: MessengerRecords(tx).messengers(messenger.agent_id)) == []
