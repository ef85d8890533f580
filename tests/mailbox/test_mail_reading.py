"""Mails are read and answered, over a real SMTP server and a mailbox that speaks IMAP, with small doubles behind."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.conversation import Note
from app.conversations.live_chat import LiveMessage, LiveState
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput
from app.core.turn import StoredTurn
from app.kit.cache import MemoryCache
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.mail.mail import sender_of
from app.mail.mailer import MailDelivery, Mailer
from app.mailbox.mail_reading import LEASE, PAUSE, MailReading
from app.mailbox.mailbox import MAX_AN_HOUR, Mailbox, ReplyMode
from app.mailbox.mailboxes import Mailboxes
from app.mailbox.records import MAILBOX_MAILS
from app.providers.imap_mailbox import ImapMailboxes
from app.providers.mail_transport import AiosmtplibMailTransport
from app.store.system_of_record import Transaction
from crawler.extract.extraction_pool import ExtractionPool
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.imap_server import PASSWORD, USER, ImapServer, running_imap_server
from tests.doubles.mail_server import MailServer, running_mail_server
from tests.doubles.mailers import MAILER
from tests.doubles.recording_history import RecordingHistory

HOW_LONG = "How many days do I have to return a lamp?"
WHO = "Who founded the company?"


class WorkerDied(Exception):
    """Before it could say that it was done."""


class DyingMailer(Mailer):
    def __init__(self) -> None:
        super().__init__(is_on=True, public_url="")

    def put(self, *_: object) -> None:  # type: ignore[override]
        raise WorkerDied


@dataclass
class PostOffice:
    """`ann` writes; a worker reads, answers and sends."""

    house: AnsweringHouse
    imap: ImapServer
    smtp: MailServer
    html: ExtractionPool
    mailer: Mailer = MAILER
    written: int = 0
    allowed: tuple[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.allowed = ("127.0.0.1", self.imap.port)

    @property
    def actor(self) -> Actor:
        return Actor(self.house.workspace_id, "operator@lamps.example", frozenset((READ, WRITE)))

    @property
    def mailboxes(self) -> Mailboxes:
        return Mailboxes(self.house.record, self.mailer)

    @property
    def reading(self) -> MailReading:
        house = self.house
        boxes = ImapMailboxes([self.allowed])
        return MailReading(
            house.record, boxes, self.html, house.turns, house.answering.history, self.mailer, house.clock
        )

    async def connect(self, password: str = PASSWORD, **changes: Any) -> None:
        box = Mailbox(
            uuid4(),
            self.house.agent_id,
            self.house.clock.now(),
            "127.0.0.1",
            USER,
            "help@lamps.example",
            self.imap.port,
        )
        await self.mailboxes.set(self.actor, self.house.agent_id, replace(box, **changes), password)
        await self.read()

    async def box(self) -> Mailbox:
        found = await self.mailboxes.mailbox(self.actor, self.house.agent_id)
        assert found is not None
        return found

    def write(self, text: str, *, sender: str = "Ann <ann@example.com>", html: str = "", **headers: str) -> str:
        """Returns its Message-ID."""
        self.written += 1
        mail = EmailMessage()
        named = {"From": sender, "To": USER, "Subject": "My lamp", "Message-ID": f"<{self.written}@mua.example>"}
        for name, value in (named | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            mail[name] = value
        if text:
            mail.set_content(text)
        if html:
            mail.add_alternative(html, subtype="html") if text else mail.set_content(html, subtype="html")
        self.imap.receive(mail.as_bytes())
        return str(mail["Message-ID"])

    async def read(self) -> list[EmailMessage]:
        """Read the mailbox and send what is to be sent; the mails of this round."""
        await self.reading.read_due()
        self.house.clock.advance(PAUSE.total_seconds())
        return await self.sent()

    async def sent(self) -> list[EmailMessage]:
        before = len(self.smtp.mails)
        transport = AiosmtplibMailTransport("127.0.0.1", self.smtp.port, "", "", is_tls=False, is_plain=True)
        delivery = MailDelivery(self.house.record, transport, sender_of("docent@lamps.example"), self.house.clock)
        while await delivery.deliver():
            pass
        return self.smtp.mails[before:]

    def turns(self) -> list[StoredTurn]:
        def work(tx: Transaction) -> list[StoredTurn]:
            found = tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id).order_by(MAILBOX_MAILS.c.id))
            conversations = dict.fromkeys(found)
            return [turn for each in conversations for turn in StoredTurnRecords(tx).of_conversation(each)]

        with self.house.record.writing() as tx:
            return work(tx)

    def handed_over(self) -> list[tuple[LiveState, list[LiveMessage], list[Note]]]:
        """By conversation: the state of its live chat, the messages there and the notes."""
        with self.house.record.writing() as tx:
            found = tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id).order_by(MAILBOX_MAILS.c.id))
            return [
                (
                    LiveChatRecords(tx).live_chat(self.house.workspace_id, each).state,
                    list(LiveChatRecords(tx).messages(each, 0, 50)),
                    InboxRecords(tx).notes(each),
                )
                for each in dict.fromkeys(found)
            ]


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[PostOffice]:
    config = AgentConfig(name="Lamp helper", confidence_threshold=0.5)
    with running_imap_server() as imap, running_mail_server() as smtp:
        async with answering_house(tmp_path, config=config) as house, ExtractionPool() as html:
            yield PostOffice(house, imap, smtp, html)


async def test_what_the_agent_is_sure_of_is_answered_in_the_thread(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(f"{HOW_LONG}\n-- \nAnn, +47 123")
    [mail] = await post.read()
    assert (mail["To"], mail["From"]) == ("ann@example.com", "Lamp helper <help@lamps.example>")
    assert (mail["Subject"], mail["In-Reply-To"], mail["References"]) == ("Re: My lamp", asked, asked)
    assert mail["Auto-Submitted"] == "auto-replied"
    body = mail.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert "30 days" in text
    assert "https://lamps.example/returns" in text
    assert "A program wrote this answer" in text
    assert post.imap.flags[1] == {r"\Seen", r"\Answered"}
    assert [turn.question for turn in post.turns()] == [f"My lamp\n\n{HOW_LONG}"]
    assert await post.read() == []


async def test_an_answer_to_the_answer_goes_on_with_the_conversation(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    [first] = await post.read()
    quoted = "\n".join(f"> {line}" for line in str(first.get_body(("plain",))).splitlines())
    text = f"How long does shipping a lamp to Norway take?\n\nOn Monday\nLamp helper wrote:\n{quoted}"
    post.write(text, In_Reply_To=first["Message-ID"])
    [second] = await post.read()
    assert "5 days" in str(second.get_body(("plain",)))
    assert second["References"].split() == [first["Message-ID"], "<2@mua.example>"]
    one, other = post.turns()
    assert one.conversation_id == other.conversation_id
    assert other.question == "How long does shipping a lamp to Norway take?"


async def test_nobody_gets_into_the_thread_of_somebody_else(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(HOW_LONG)
    [answer] = await post.read()
    post.write("And shipping a lamp to Norway?", sender="eve@example.com", References=f"{asked} {answer['Message-ID']}")
    await post.read()
    one, other = post.turns()
    assert one.conversation_id != other.conversation_id


async def test_what_it_is_not_sure_of_goes_to_people_with_a_draft_and_nobody_is_mailed(post: PostOffice) -> None:
    await post.connect()
    post.write(WHO)
    assert await post.read() == []
    [(state, _, [note])] = post.handed_over()
    assert state is LiveState.WAITING
    assert "ann@example.com" in note.text
    assert "a draft that nobody was sent" in note.text
    assert post.imap.flags[1] == set(), "people find it unread"


async def test_as_drafts_alone_nothing_is_sent(post: PostOffice) -> None:
    await post.connect(reply=ReplyMode.DRAFT)
    post.write(HOW_LONG)
    assert await post.read() == []
    assert [state for state, _, _ in post.handed_over()] == [LiveState.WAITING]
    assert "30 days" in post.turns()[0].answer


@pytest.mark.parametrize("text", ["I would like to talk to a person.", "Ich möchte mit einem Menschen sprechen."])
async def test_who_asks_for_a_person_gets_one(text: str, post: PostOffice) -> None:
    await post.connect()
    post.write(text)
    assert await post.read() == []
    [(state, [message], _)] = post.handed_over()
    assert state is LiveState.WAITING
    assert text in message.text
    assert post.turns() == []


async def test_what_people_write_is_mailed_and_answers_reach_them(post: PostOffice) -> None:
    await post.connect()
    asked = post.write(WHO)
    await post.read()
    chats = LiveChats(post.house.record, post.house.clock, RecordingHistory(), LiveSigns(MemoryCache()))
    with post.house.record.writing() as tx:
        [conversation_id] = tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id))
    await chats.take_over(post.actor, conversation_id)
    await chats.reply(post.actor, conversation_id, uuid4(), "Ada Lovelace, in 1840.")
    [mail] = await post.read()
    assert "Ada Lovelace, in 1840." in str(mail.get_body(("plain",)))
    assert mail["In-Reply-To"] == asked
    assert "Auto-Submitted" not in mail, "a person wrote it"
    assert await post.read() == []
    post.write("Thank you, and when did she die?", In_Reply_To=mail["Message-ID"])
    assert await post.read() == []
    [(state, messages, _)] = post.handed_over()
    assert state is LiveState.TALKING
    assert [message.text for message in messages][-1] == "Thank you, and when did she die?"


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"Precedence": "bulk"},
        {"List_Id": "<news.example.com>"},
        {"X_Auto_Response_Suppress": "OOF, AutoReply"},
        {"Return_Path": "<>"},
        {"From": "MAILER-DAEMON@example.com"},
        {"From": "no-reply@shop.example"},
        {"From": "Lamp helper <Help@lamps.example>"},
        {"From": "ann@example.com, bob@example.com"},
        {"From": "nobody"},
    ],
    ids=str,
)
async def test_programs_lists_and_itself_are_not_answered(headers: dict[str, str], post: PostOffice) -> None:
    await post.connect()
    sender = headers.get("From", "ann@example.com")
    post.write(HOW_LONG, sender=sender, **{name: value for name, value in headers.items() if name != "From"})
    post.write("How long does shipping a lamp to Norway take?")
    [mail] = await post.read()
    assert "5 days" in str(mail.get_body(("plain",))), "the next one is"
    assert post.imap.flags[1] == set()
    assert len(post.turns()) == 1


async def test_a_loop_ends(post: PostOffice) -> None:
    await post.connect()
    for _ in range(MAX_AN_HOUR + 3):
        post.write(HOW_LONG)
    assert len([mail for _ in range(3) for mail in await post.read()]) == MAX_AN_HOUR
    post.house.clock.advance(timedelta(hours=1).total_seconds())
    post.write(HOW_LONG)
    assert len(await post.read()) == 1


async def test_a_second_copy_is_not_answered(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG, Message_ID="<copy@mua.example>")
    post.write(HOW_LONG, Message_ID="<copy@mua.example>")
    assert len(await post.read()) == 1


async def test_a_worker_that_dies_answers_once(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    post.mailer = DyingMailer()
    with pytest.raises(WorkerDied):
        await post.reading.read_due()
    post.mailer = MAILER
    assert await post.reading.read_due() == 0, "it is claimed"
    post.house.clock.advance(LEASE.total_seconds())
    assert len(await post.read()) == 1
    assert len(post.turns()) == 1, "asked once"
    post.imap.flags[1].clear()  # as if it had died before it could mark the mail
    assert await post.read() == []


async def test_mails_from_before_are_left_alone(post: PostOffice) -> None:
    post.write(HOW_LONG)
    await post.connect()
    assert await post.read() == []
    post.imap.uid_validity += 1
    assert await post.read() == [], "its UIDs may be of other mails now"
    post.write(HOW_LONG)
    assert len(await post.read()) == 1


async def test_html_is_read_without_what_it_quotes(post: PostOffice) -> None:
    await post.connect()
    page = f"<div>{HOW_LONG}</div><div>On Monday Bob wrote:</div><blockquote>What does shipping cost?</blockquote>"
    post.write("", html=f"<html><body>{page}</body></html>", In_Reply_To="<unknown@mua.example>")
    assert len(await post.read()) == 1
    assert [turn.question for turn in post.turns()] == [HOW_LONG]


async def test_what_cannot_be_read_is_said_and_read_later(post: PostOffice) -> None:
    await post.connect("guess")
    assert "wrong name or password" in (await post.box()).last_error
    await post.connect(PASSWORD, folder="Nowhere")
    assert "no such folder" in (await post.box()).last_error
    await post.connect()
    assert (await post.box()).last_error == ""
    post.imap.oversized = True
    post.imap.receive(b"From: ann@example.com\n\n" + b"x" * 2**20)
    await post.read()
    assert "bytes at once" in (await post.box()).last_error


async def test_only_what_is_allowed_of_the_own_network_is_dialled(post: PostOffice) -> None:
    post.allowed = ("127.0.0.1", 9)
    await post.connect()
    assert "not allowed" in (await post.box()).last_error
    await post.connect(port=143)
    assert "not public" in (await post.box()).last_error
    assert post.imap.commands == []


async def test_an_agent_that_is_paused_has_people_answer(post: PostOffice) -> None:
    await post.connect()
    with post.house.record.writing() as tx:
        AgentRecords(tx).pause(post.house.workspace_id, post.house.agent_id, True)
    post.write(HOW_LONG)
    assert await post.read() == []
    assert [state for state, _, _ in post.handed_over()] == [LiveState.WAITING]


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("docent.sqlite*"))


async def test_the_password_lies_sealed_and_goes_to_no_other_host(post: PostOffice, tmp_path: Path) -> None:
    await post.connect()
    assert PASSWORD.encode() not in stored(tmp_path)
    await post.connect("", reply=ReplyMode.DRAFT)
    assert (await post.box()).last_error == ""
    with pytest.raises(InvalidInput, match="password"):
        await post.connect("", host="imap.example.com")


async def test_without_a_mail_server_none_is_connected(post: PostOffice) -> None:
    post.mailer = Mailer(is_on=False, public_url="")
    with pytest.raises(InvalidInput, match="no mail server"):
        await post.connect()


async def test_a_visitor_who_is_erased_leaves_nothing(post: PostOffice) -> None:
    await post.connect()
    post.write(HOW_LONG)
    await post.read()
    with post.house.record.writing() as tx:
        [visitor_id, _] = tx.connection.scalars(select(MAILBOX_MAILS.c.visitor_id))
        VisitorRecords(tx).erase(post.house.workspace_id, visitor_id)
        assert tx.connection.execute(select(MAILBOX_MAILS)).all() == []
    assert await post.read() == []
