"""Mailboxes of agents, and the mails received and sent there."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Integer, String, func, select

from app.conversations.live_chat import Author
from app.conversations.records.live_chats import LiveChatRecords
from app.mail.mail import picture_name
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.store.schema import Audited, OfVisitors, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import LIVE_MESSAGES
from app.store.transaction import Repository, new_id, value_of

# `sealed` has both keys, one per line, sealed with the key `sealed_by`. `next_at` is when to read the mailbox again.
MAILBOXES = table(
    "mailboxes",
    Audited(
        "agent",
        key="agent_id",
        unhashed=("verified_at", "proof", "uid_validity", "last_uid", "read_at", "last_error", "next_at"),
    ),
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("created_at", UtcDateTime),
    column("host", StorableText),
    column("port", Integer),
    column("user", StorableText),
    column("folder", StorableText),
    column("address", StorableText),
    column("reply", String(8)),
    column("token_url", StorableText, server_default=""),
    column("client_id", StorableText, server_default=""),
    column("scope", StorableText, server_default=""),
    column("verified_at", UtcDateTime, nullable=True),
    column("proof", StorableText, server_default=""),
    column("uid_validity", BigInteger, nullable=True),
    column("last_uid", BigInteger, nullable=True),
    column("read_at", UtcDateTime, nullable=True),
    column("last_error", StorableText),
    column("next_at", UtcDateTime, index=True),
    *sealed_columns(),
)


@dataclass(frozen=True, slots=True)
class ExportedMail:
    conversation_id: UUID
    address: str
    subject: str
    created_at: datetime


# A mail that was received, or sent by us. `message_id` identifies it in the headers of later mails, `place` in the
# mailbox (UIDVALIDITY and UID; "" for our own). `mailed_number` is that of the conversation's latest mailed message.
MAILBOX_MAILS = table(
    "mailbox_mails",
    OfVisitors("mails", "The subjects of mails that the visitor wrote or got.", exported=ExportedMail),
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    column("created_at", UtcDateTime),
    column("address", StorableText),
    column("subject", StorableText),
    column("message_id", StorableText),
    column("reference_ids", StorableText),
    column("place", String(48)),
    column("mailed_number", Integer),
)


@dataclass(frozen=True, slots=True)
class KeptMail:
    """`reference_ids` is the References header: the ids of the earlier mails of the thread."""

    agent_id: UUID
    visitor_id: UUID
    conversation_id: UUID
    address: str
    subject: str
    message_id: str
    reference_ids: str = ""
    place: str = ""
    mailed_number: int = 0


@dataclass(frozen=True, slots=True)
class UnsentMessages:
    """Operators' live messages of a conversation that were not mailed yet, up to `number`. `latest` is the visitor's
    latest mail. The texts have a `picture_name` for each of the `pictures`, WebP in base64."""

    latest: KeptMail
    texts: Sequence[str]
    pictures: Sequence[str]
    number: int


class MailboxRecords(Repository):
    def find(self, agent_id: UUID) -> Mailbox | None:
        return self._value(Mailbox, select(MAILBOXES).where(MAILBOXES.c.agent_id == agent_id))

    def keys(self, agent_id: UUID) -> MailboxKeys:
        """Raises NotFound, SecretsLocked."""
        row = self._first_row(select(MAILBOXES).where(MAILBOXES.c.agent_id == agent_id), "mailbox")
        return _keys(SealedRows(self._tx, MAILBOXES).opened(row))

    def put(self, mailbox: Mailbox, keys: MailboxKeys) -> None:
        """Store the mailbox, to be read at once. Replaces one with the same id."""
        self._put(MAILBOXES, {"id": mailbox.id}, mailbox, **self._sealed(mailbox, keys), next_at=self._now())

    def renew(self, mailbox: Mailbox, before: MailboxKeys, keys: MailboxKeys) -> None:
        """Replace the keys, unless the mailbox has others than `before` meanwhile."""
        if self.find(mailbox.agent_id) and self.keys(mailbox.agent_id) == before:
            self._update(MAILBOXES, *_is_still(mailbox), **self._sealed(mailbox, keys))

    def _sealed(self, mailbox: Mailbox, keys: MailboxKeys) -> dict[str, Any]:
        written = f"{keys.password}\n{keys.client_secret}"
        return SealedRows(self._tx, MAILBOXES).sealed(mailbox.id, written.encode())

    def clear(self, agent_id: UUID) -> None:
        """Delete the mailbox; its conversations stay. Raises NotFound."""
        self._delete_one(MAILBOXES, "mailbox", MAILBOXES.c.agent_id == agent_id)

    def claim(self, lease_until: datetime, limit: int) -> list[tuple[UUID, Mailbox, MailboxKeys | None]]:
        """Reserve due mailboxes until `lease_until`, at most one per workspace. Returns (workspace id, mailbox, keys);
        the keys are None if they cannot be unsealed."""
        claimed: dict[UUID, tuple[UUID, Mailbox, MailboxKeys | None]] = {}
        while len(claimed) < limit:
            due = (
                select(MAILBOXES, AGENTS.c.workspace_id)
                .join(AGENTS, AGENTS.c.id == MAILBOXES.c.agent_id)
                .where(MAILBOXES.c.next_at <= self._now(), AGENTS.c.workspace_id.not_in(list(claimed)))
                .order_by(MAILBOXES.c.next_at)
                .limit(1)
                .with_for_update(of=MAILBOXES, skip_locked=True)
            )
            row = self._connection.execute(due).first()
            if row is None:
                break
            self._update(MAILBOXES, MAILBOXES.c.id == row.id, next_at=lease_until)
            sealed = SealedRows(self._tx, MAILBOXES).opened_or_none(row)
            keys = None if sealed is None else _keys(sealed)
            claimed[row.workspace_id] = row.workspace_id, value_of(Mailbox, row), keys
        return list(claimed.values())

    def rest(self, mailbox: Mailbox, next_at: datetime, error: str) -> None:
        """Store the result of a reading and the time of the next one, unless the mailbox was changed meanwhile."""
        read = {"read_at": self._now()} if not error else {}
        self._update(MAILBOXES, *_is_still(mailbox), next_at=next_at, last_error=error, **read)

    def begin_at(self, mailbox: Mailbox, uid_validity: int, last_uid: int) -> None:
        self._update(MAILBOXES, *_is_still(mailbox), uid_validity=uid_validity, last_uid=last_uid)

    def ask_for_proof(self, mailbox: Mailbox, proof: str) -> bool:
        """Store the secret that is to arrive. False if the mailbox was changed or removed meanwhile."""
        is_asked = (MAILBOXES.c.address == mailbox.address) & (MAILBOXES.c.proof == mailbox.proof)
        return self._update(MAILBOXES, *_is_still(mailbox), is_asked, proof=proof) > 0

    def prove(self, mailbox: Mailbox, uid: int) -> None:
        """Mark the mail that has the secret as handled, and the address as verified if it is still the same."""
        self.advance(mailbox, uid)
        self._update(MAILBOXES, *_is_still(mailbox), MAILBOXES.c.proof == mailbox.proof, verified_at=self._now())

    def advance(self, mailbox: Mailbox, uid: int) -> bool:
        """Mark the mail as handled. False if another worker already has, or the mailbox was changed or removed."""
        is_next = (MAILBOXES.c.uid_validity == mailbox.uid_validity) & (MAILBOXES.c.last_uid < uid)
        return self._update(MAILBOXES, *_is_still(mailbox), is_next, last_uid=uid) > 0


class MailboxMailRecords(Repository):
    def add(self, mail: KeptMail, mail_id: UUID | None = None) -> None:
        """Raises NotFound if the conversation was erased."""
        self._add(MAILBOX_MAILS, mail, id=mail_id or new_id(), created_at=self._now())

    def at(self, visitor_id: UUID, place: str, message_id: str) -> KeptMail | None:
        """The visitor's mail with this place and Message-ID, if it was received before."""
        is_it = (MAILBOX_MAILS.c.place == place) & (MAILBOX_MAILS.c.message_id == message_id)
        return self._one(is_it, visitor_id)

    def named(self, visitor_id: UUID, message_ids: Sequence[str]) -> KeptMail | None:
        """The latest mail from or to the visitor with one of these Message-IDs."""
        return self._one(MAILBOX_MAILS.c.message_id.in_(message_ids), visitor_id)

    def read_since(self, visitor_id: UUID, since: datetime) -> int:
        """The number of mails received from the visitor since then."""
        theirs = (
            (MAILBOX_MAILS.c.visitor_id == visitor_id)
            & (MAILBOX_MAILS.c.place != "")
            & (MAILBOX_MAILS.c.created_at >= since)
        )
        return self._connection.scalar(select(func.count()).select_from(MAILBOX_MAILS).where(theirs)) or 0

    def waiting(self, agent_id: UUID, limit: int) -> list[UUID]:
        """At most `limit` conversations with operators' messages to mail."""
        sent = (
            select(MAILBOX_MAILS.c.conversation_id, func.max(MAILBOX_MAILS.c.mailed_number).label("number"))
            .where(MAILBOX_MAILS.c.agent_id == agent_id)
            .group_by(MAILBOX_MAILS.c.conversation_id)
            .subquery()
        )
        waiting = (
            select(LIVE_MESSAGES.c.conversation_id)
            .join(sent, sent.c.conversation_id == LIVE_MESSAGES.c.conversation_id)
            .where(LIVE_MESSAGES.c.author == Author.OPERATOR.value, LIVE_MESSAGES.c.number > sent.c.number)
            .distinct()
            .limit(limit)
        )
        return list(self._connection.scalars(waiting))

    def unsent(self, conversation_id: UUID) -> UnsentMessages | None:
        """None if all were mailed, or the conversation was erased."""
        of_conversation = MAILBOX_MAILS.c.conversation_id == conversation_id
        sent = self._connection.scalar(select(func.max(MAILBOX_MAILS.c.mailed_number)).where(of_conversation))
        messages = LiveChatRecords(self._tx).written_by(Author.OPERATOR, conversation_id, after=sent or 0)
        if sent is None or not messages:
            return None
        latest = select(MAILBOX_MAILS).where(of_conversation, MAILBOX_MAILS.c.place != "")
        found = self._found(KeptMail, latest.order_by(MAILBOX_MAILS.c.created_at.desc()).limit(1), "mail")
        texts, pictures = [], []
        for each in messages:
            if each.picture and each.picture.body:
                pictures.append(b64encode(each.picture.body).decode())
            texts.append(picture_name(len(pictures)) if each.picture else each.text)
        return UnsentMessages(found, texts, pictures, messages[-1].number)

    def _one(self, is_it: Any, visitor_id: UUID) -> KeptMail | None:
        found = select(MAILBOX_MAILS).where(MAILBOX_MAILS.c.visitor_id == visitor_id, is_it)
        return self._value(KeptMail, found.order_by(MAILBOX_MAILS.c.created_at.desc()).limit(1))


def _keys(sealed: bytes) -> MailboxKeys:
    password, _, client_secret = sealed.decode().partition("\n")
    return MailboxKeys(password, client_secret)


def _is_still(mailbox: Mailbox) -> list[Any]:
    """Conditions: the stored mailbox still has the same account and folder."""
    return [MAILBOXES.c[name] == getattr(mailbox, name) for name in ("id", "host", "port", "user", "folder")]
