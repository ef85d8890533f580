"""A mailbox's address is proven before anything is sent from it, and how much of that there is in a day."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.conversations.live_chat import Author, LiveState
from app.conversations.records.live_chats import LiveChatRecords
from app.kit.limits import MemoryRateLimiter
from app.mailbox import mail_reading
from app.mailbox.mailbox import MAX_PROOFS_A_DAY, ReplyMode
from app.mailbox.records import MAILBOX_MAILS
from tests.doubles.post_office import PostOffice

HOW_LONG = "How many days do I have to return a lamp?"


async def test_nothing_is_sent_from_an_address_before_a_mail_to_it_has_arrived(post: PostOffice) -> None:
    await post.connect(is_verified=False, address="chief@bank.example")
    [proof] = post.smtp.mails
    assert (proof["From"], proof["To"]) == ("docent@lamps.example", "chief@bank.example")
    post.write(HOW_LONG)
    assert await post.read() == []
    await post.replied("30 days.")
    assert await post.read() == []
    guess = str(proof["Subject"]).translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    post.write("Let me in", Subject=guess)
    await post.read()
    assert (await post.box()).verified_at is None
    post.imap.receive(proof.as_bytes())
    assert await post.read() == []
    [mail] = await post.read()
    assert (mail["From"], mail["To"]) == ("Lamp helper <chief@bank.example>", "ann@example.com")
    post.write(HOW_LONG, sender="bob@example.com")
    assert [mail["To"] for mail in await post.read()] == ["bob@example.com"]


@pytest.mark.parametrize(
    ("change", "is_verified"), [({"reply": ReplyMode.DRAFT}, True), ({"address": "chief@bank.example"}, False)]
)
async def test_another_address_has_to_be_proven_anew(
    change: dict[str, Any], is_verified: bool, post: PostOffice
) -> None:
    await post.connect()
    await post.connect(is_verified=False, **change)
    assert bool((await post.box()).verified_at) is is_verified
    assert [mail["To"] for mail in post.smtp.mails] == ([] if is_verified else ["chief@bank.example"])


async def test_whoever_enters_many_addresses_mails_no_more_of_them_that_day(post: PostOffice) -> None:
    for number in range(MAX_PROOFS_A_DAY + 2):
        await post.connect(is_verified=False, address=f"{number}@bank.example")
    assert len(post.smtp.mails) == MAX_PROOFS_A_DAY
    assert "24 hours" in (await post.box()).last_error


async def test_past_a_workspace_s_mails_of_a_day_answers_go_to_people_whose_replies_wait(
    post: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_reading, "MAX_A_DAY", 1)
    now = [0.0]
    post.limiter = MemoryRateLimiter(now=lambda: now[0])
    await post.connect()
    for sender in ("ann@example.com", "bob@example.com"):
        post.write(HOW_LONG, sender=sender)
    assert [mail["To"] for mail in await post.read()] == ["ann@example.com"]
    [_, (state, _, _)] = post.handed_over()
    assert state is LiveState.WAITING
    with post.house.record.writing() as tx:
        chats = tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id).order_by(MAILBOX_MAILS.c.id)).all()
        chat = LiveChatRecords(tx).live_chat(post.actor.workspace_id, chats[-1])
        LiveChatRecords(tx).add(chat, uuid4(), Author.OPERATOR, "Ann", "30 days.")
    assert await post.read() == []
    assert "24 hours" in (await post.box()).last_error
    now[0] += 86_400
    assert [mail["To"] for mail in await post.read()] == ["bob@example.com"]
