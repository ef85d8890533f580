"""A mailbox that an agent reads, with real servers for both ways."""

from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select, update

from app.conversations.conversation import Note
from app.conversations.live_chat import LiveMessage, LiveState
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.turn import StoredTurn
from app.kit.cache import MemoryCache
from app.kit.limits import MemoryRateLimiter, RateLimiter
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.mail.mail import sender_of
from app.mail.mailer import MailDelivery, Mailer
from app.mailbox.mail_reading import PAUSE, MailReading
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.mailbox.mailboxes import Mailboxes
from app.mailbox.records import MAILBOX_MAILS, MAILBOXES
from app.providers.access_tokens import AccessTokens
from app.providers.imap_mailbox import ImapMailboxes
from app.providers.mail_transport import AiosmtplibMailTransport
from app.store.system_of_record import Transaction
from crawler.extract.extraction_pool import ExtractionPool
from tests.doubles.answering_house import AnsweringHouse
from tests.doubles.imap_server import PASSWORD, USER, ImapServer
from tests.doubles.mail_server import MailServer
from tests.doubles.mailers import MAILER
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.token_endpoint import TokenEndpoint


@dataclass
class PostOffice:
    """`ann` writes; a worker reads, answers and sends."""

    house: AnsweringHouse
    imap: ImapServer
    smtp: MailServer
    html: ExtractionPool
    mailer: Mailer = MAILER
    limiter: RateLimiter = field(default_factory=MemoryRateLimiter)
    endpoint: TokenEndpoint = field(default_factory=TokenEndpoint)
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
        boxes, tokens = ImapMailboxes([self.allowed]), AccessTokens(self.endpoint, house.clock)
        return MailReading(
            house.record,
            boxes,
            tokens,
            self.html,
            house.turns,
            house.answering.history,
            self.mailer,
            self.limiter,
            house.clock,
        )

    async def connect(
        self, password: str = PASSWORD, secret: str = "", *, is_verified: bool = True, **changes: Any
    ) -> None:
        box = Mailbox(
            uuid4(),
            self.house.agent_id,
            self.house.clock.now(),
            "127.0.0.1",
            USER,
            "help@lamps.example",
            self.imap.port,
        )
        await self.mailboxes.set(
            self.actor, self.house.agent_id, replace(box, **changes), MailboxKeys(password, secret)
        )
        if is_verified:
            with self.house.record.writing() as tx:
                tx.connection.execute(update(MAILBOXES).values(verified_at=self.house.clock.now()))
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

    async def replied(self, text: str) -> UUID:
        """An operator takes the first mail's conversation and writes there; its id."""
        chats = LiveChats(self.house.record, self.house.clock, RecordingHistory(), LiveSigns(MemoryCache()))
        with self.house.record.writing() as tx:
            conversation_id: UUID = tx.connection.scalars(select(MAILBOX_MAILS.c.conversation_id).distinct()).one()
        await chats.take_over(self.actor, conversation_id)
        await chats.reply(self.actor, conversation_id, uuid4(), text)
        return conversation_id

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
