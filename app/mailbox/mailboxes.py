"""Operators connect, change and remove an agent's mailbox."""

import re
from dataclasses import replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.mail.mail import checked_mail_address
from app.mail.mailer import Mailer
from app.mailbox.mailbox import Mailbox, MailboxPassword
from app.mailbox.records import MailboxRecords
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of("agent", {"set_mailbox": "Mailbox connected", "clear_mailbox": "Mailbox removed"})

# Characters that an IMAP quoted string needs no escape for.
_PRINTABLE: Final = re.compile(r'[^"\\\x00-\x1f\x7f-\uffff]+')
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|[0-9A-Fa-f:]+")


class Mailboxes:
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    def __init__(self, records: SystemOfRecord, mailer: Mailer) -> None:
        self._records = records
        self._mailer = mailer

    @property
    def can_send(self) -> bool:
        return self._mailer.is_on

    @reads_agent
    def mailbox(self, tx: Transaction, actor: Actor, agent_id: UUID) -> Mailbox | None:
        return MailboxRecords(tx).find(agent_id)

    @writes_agent
    def set(self, tx: Transaction, actor: Actor, agent_id: UUID, mailbox: Mailbox, password: str) -> Mailbox:
        """Connect the mailbox, or replace the agent's. While host, port and user are the same, an empty password keeps
        the stored one, and the same folder is read on from where it was. Raises InvalidInput."""
        mailbox = _checked(mailbox, password)
        if not self._mailer.is_on:
            raise InvalidInput("", "This installation has no mail server to answer with. Set DOCENT_SMTP_URL.")
        before = MailboxRecords(tx).find(agent_id)
        if before is not None:
            mailbox = replace(mailbox, id=before.id, created_at=before.created_at)
            if _account(before) == _account(mailbox):
                password = password or MailboxRecords(tx).password(agent_id)
                if before.folder == mailbox.folder:
                    mailbox = replace(mailbox, uid_validity=before.uid_validity, last_uid=before.last_uid)
        if not password:
            raise InvalidInput("password", "Enter the password.")
        MailboxRecords(tx).put(mailbox, password)
        AuditRecords(tx).acted(actor, "agent.set_mailbox", agent_id)
        return mailbox

    @writes_agent
    def clear(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """Raises NotFound if there is none."""
        MailboxRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.clear_mailbox", agent_id)


def _account(mailbox: Mailbox) -> tuple[str, int, str]:
    return mailbox.host, mailbox.port, mailbox.user


def _checked(mailbox: Mailbox, password: str) -> Mailbox:
    check_limits("", mailbox)
    check_limits("", MailboxPassword(password))
    if not _HOST.fullmatch(mailbox.host):
        raise InvalidInput("host", "Enter only the server's name, such as imap.example.com.")
    for name, text in (("user", mailbox.user), ("password", password), ("folder", mailbox.folder)):
        if text and not _PRINTABLE.fullmatch(text):
            raise InvalidInput(name, 'Use only ASCII characters, without " and \\.')
    return replace(mailbox, address=checked_mail_address("address", mailbox.address))
