"""Queued mails. They are sealed, because a mail may contain a link that sets a password."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select

from app.mail.mail import Mail, MailLink
from app.store.delivery_loop import Deliveries, DeliveryState, DueRow, delivery_columns
from app.store.schema import OfVisitors, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.transaction import Repository, new_id

# Sealed as a whole with the key `sealed_by`. A row is deleted once its mail was sent, or with the conversation that the
# mail quotes.
MAILS = table(
    "mails",
    OfVisitors(),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    parent("conversation_id", "conversations", index=True, nullable=True),
    *sealed_columns(),
    column("created_at", UtcDateTime),
    *delivery_columns("mails"),
)


@dataclass(frozen=True, slots=True)
class WaitingMail(DueRow):
    """`mail` is None if it cannot be unsealed."""

    mail: Mail | None
    written_at: datetime


class MailRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, MAILS)

    def add(self, workspace_id: UUID, mail: Mail, conversation_id: UUID | None = None) -> UUID:
        mail_id, now = new_id(), self._now()
        sealed = SealedRows(self._tx, MAILS).sealed(mail_id, json.dumps(asdict(mail)).encode())
        self._add(
            MAILS,
            id=mail_id,
            workspace_id=workspace_id,
            conversation_id=conversation_id,
            **sealed,
            attempts=0,
            last_error="",
            next_at=now,
            created_at=now,
        )
        return mail_id

    def claim(self, limit: int, lease_until: datetime) -> list[WaitingMail]:
        due = self.deliveries.claim(limit, lease_until)
        rows = self._connection.execute(select(MAILS).where(MAILS.c.id.in_(due)).order_by(MAILS.c.id))
        return [
            WaitingMail(row.id, row.workspace_id, row.attempts, self._mail(row), row.created_at) for row in rows.all()
        ]

    def sent(self, mail_id: UUID) -> None:
        self._delete(MAILS, MAILS.c.id == mail_id)

    def state(self) -> DeliveryState:
        waiting = self._connection.scalar(select(func.count()).where(MAILS.c.died_at.is_(None)).select_from(MAILS))
        given_up = self._connection.scalar(select(func.count()).where(MAILS.c.died_at.is_not(None)).select_from(MAILS))
        latest = select(MAILS.c.last_error).where(MAILS.c.last_error != "").order_by(MAILS.c.created_at.desc())
        return DeliveryState(waiting or 0, given_up or 0, self._connection.scalar(latest.limit(1)) or "")

    def _mail(self, row: Row[Any]) -> Mail | None:
        opened = SealedRows(self._tx, MAILS).opened_or_none(row)
        if opened is None:
            return None
        written = json.loads(opened)
        link = written.pop("link")
        paragraphs, pictures = (tuple(written.pop(name, ())) for name in ("paragraphs", "pictures"))
        shown = MailLink(**link) if link else None
        return Mail(**written, paragraphs=paragraphs, pictures=pictures, link=shown)
