"""Operators connect, change and remove an agent's mailbox."""

import re
from dataclasses import asdict, replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.core.setting_values import is_http
from app.kit.wiring import Wired
from app.mail.mail import checked_mail_address
from app.mail.mailer import Mailer
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.mailbox.records import MailboxRecords
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of("agent", {"set_mailbox": "Mailbox connected", "clear_mailbox": "Mailbox removed"})

_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|[0-9A-Fa-f:]+")


class Mailboxes(Wired):
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _mailer: Mailer

    @property
    def can_send(self) -> bool:
        return self._mailer.is_on

    @reads_agent
    def mailbox(self, tx: Transaction, actor: Actor, agent_id: UUID) -> Mailbox | None:
        return MailboxRecords(tx).find(agent_id)

    @writes_agent
    def set(self, tx: Transaction, actor: Actor, agent_id: UUID, mailbox: Mailbox, keys: MailboxKeys) -> Mailbox:
        """Connect the mailbox, or replace the agent's. While the account is the same, empty keys keep the stored ones,
        and the same folder is read on from where it was; the same address there stays verified. Raises InvalidInput."""
        mailbox = _checked(mailbox, keys)
        if not self._mailer.is_on:
            raise InvalidInput("", "This installation has no mail server to answer with. Set DOCENT_SMTP_URL.")
        before = MailboxRecords(tx).find(agent_id)
        if before is not None:
            mailbox = replace(mailbox, id=before.id, created_at=before.created_at)
            if _account(before) == _account(mailbox):
                keys = keys if keys != MailboxKeys() else MailboxRecords(tx).keys(agent_id)
                if before.folder == mailbox.folder:
                    mailbox = replace(mailbox, uid_validity=before.uid_validity, last_uid=before.last_uid)
                    if before.address == mailbox.address:
                        mailbox = replace(mailbox, verified_at=before.verified_at)
        if keys == MailboxKeys():
            raise InvalidInput("password", "Enter the password.")
        MailboxRecords(tx).put(mailbox, keys)
        AuditRecords(tx).acted(actor, "agent.set_mailbox", agent_id)
        return mailbox

    @writes_agent
    def clear(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """Raises NotFound if there is none."""
        MailboxRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.clear_mailbox", agent_id)


def _account(mailbox: Mailbox) -> tuple[object, ...]:
    """Where the keys are sent, and whose they are."""
    return mailbox.host, mailbox.port, mailbox.user, mailbox.token_url, mailbox.client_id


def _checked(mailbox: Mailbox, keys: MailboxKeys) -> Mailbox:
    check_limits("", mailbox)
    check_limits("", keys)
    if not _HOST.fullmatch(mailbox.host):
        raise InvalidInput("host", "Enter only the server's name, such as imap.example.com.")
    if mailbox.token_url and not is_http(mailbox.token_url):
        raise InvalidInput("token_url", "Enter an address that begins with https://.")
    if mailbox.token_url and not mailbox.client_id:
        raise InvalidInput("client_id", "Enter the client.")
    if not mailbox.token_url and (mailbox.client_id or mailbox.scope or keys.client_secret):
        raise InvalidInput("token_url", "Enter the token endpoint.")
    texts = {"user": mailbox.user, "folder": mailbox.folder, **asdict(keys)}
    for name, text in texts.items():
        if not _PRINTABLE.fullmatch(text):
            raise InvalidInput(name, "Use only ASCII characters, on one line.")
    return replace(mailbox, address=checked_mail_address("address", mailbox.address))
