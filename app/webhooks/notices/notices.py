"""Mails to operators about events; each operator chooses their own."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.webhook_event import News, WebhookEvent, event_of
from app.kit.wiring import Wired
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.webhooks.notice import notice_of, noticed
from app.webhooks.notices.records import NoticeRecords

SETTINGS_PATH = "/console/notices"
_WHY = "You get this mail because you chose this notice in your Docent account."


class Notices(Wired):
    _records: SystemOfRecord

    @reads
    def chosen(self, tx: Transaction, actor: Actor, operator_id: UUID) -> tuple[WebhookEvent, ...]:
        """The events of which the operator gets mails; empty until they choose some."""
        return NoticeRecords(tx).chosen(operator_id)

    @writes
    def choose(self, tx: Transaction, actor: Actor, operator_id: UUID, events: Sequence[WebhookEvent]) -> None:
        """Subscribe the operator to these events from now on. Raises InvalidInput."""
        if not set(events) <= set(noticed()):
            raise InvalidInput("events", "This event is not sent by mail. Choose another.")
        NoticeRecords(tx).choose(operator_id, tuple(event for event in noticed() if event in events))


class NoticeMails(Wired):
    _mailer: Mailer

    def wanting(self, tx: Transaction, event: WebhookEvent, until: datetime) -> list[UUID]:
        return NoticeRecords(tx).readers_of(event, until)

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Queue a mail for each subscribed operator, in the transaction in which the events leave the outbox, so
        exactly once."""
        wanted = [each for each in news if event_of(each.kind) in noticed()] if self._mailer.is_on else []
        if not wanted:
            return
        readers = NoticeRecords(tx).readers({each.agent_id for each in wanted})
        for each in wanted:
            event = event_of(each.kind)
            wanting = [
                reader
                for reader in readers.get(each.agent_id, ())
                if each.is_wanted(reader.events, reader.chosen_at)
                and each.payload.get("assignee", each.payload.get("mentioned", reader.email)) == reader.email
            ]
            if not wanting:
                continue
            name = AgentRecords(tx).agent(wanting[0].workspace_id, each.agent_id).draft.name
            notice = notice_of(event, each.agent_id, name, each.payload)
            for reader in wanting:
                mail = Mail(
                    to=reader.email,
                    subject=notice.subject,
                    paragraphs=notice.paragraphs,
                    link=MailLink(notice.action, self._mailer.url(notice.path)),
                    footer=_WHY,
                    settings_url=self._mailer.url(SETTINGS_PATH),
                )
                self._mailer.put(tx, reader.workspace_id, mail)
