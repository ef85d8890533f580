"""Mails that wait for a worker to send them, sealed: one may hold a link that lets its reader in."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, func, select, update

from app.core.errors import SecretsLocked
from app.mail.mail import Mail, MailLink
from app.store.deliveries import Deliveries
from app.store.secret_keys import Sealed
from app.store.tables.webhooks import MAILS
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """A mail at its attempt number `attempts` (1..). `mail` is None where no key opens it."""

    id: UUID
    workspace_id: UUID
    mail: Mail | None
    attempts: int
    written_at: datetime


@dataclass(frozen=True, slots=True)
class MailState:
    """Of the installation: how many mails wait, how many were given up, and why the latest of both failed."""

    waiting: int
    given_up: int
    last_error: str


class MailRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, MAILS)

    def add(self, workspace_id: UUID, mail: Mail) -> UUID:
        mail_id, now = new_id(), self._now()
        sealed = self._tx.secret_keys.seal(json.dumps(asdict(mail)).encode(), _place(mail_id))
        self._connection.execute(
            self._insert(MAILS).values(
                id=mail_id,
                workspace_id=workspace_id,
                sealed=sealed.data,
                sealed_by=sealed.key_name,
                attempts=0,
                last_error="",
                next_at=now,
                created_at=now,
            )
        )
        return mail_id

    def claim(self, limit: int, lease_until: datetime) -> list[WaitingMail]:
        """At most `limit` of those that are due, longest due first. Nobody else gets them before `lease_until`."""
        due = self.deliveries.claim(limit, lease_until)
        rows = self._connection.execute(select(MAILS).where(MAILS.c.id.in_(due)).order_by(MAILS.c.id))
        return [
            WaitingMail(row.id, row.workspace_id, self._mail(row), row.attempts, row.created_at) for row in rows.all()
        ]

    def sent(self, mail_id: UUID) -> None:
        """Nothing of it is kept."""
        self._delete(MAILS, MAILS.c.id == mail_id)

    def forget_given_up(self, before: datetime) -> int:
        """Those that were given up before then; return how many."""
        return self._delete(MAILS, MAILS.c.died_at < before)

    def state(self) -> MailState:
        waiting = self._connection.scalar(select(func.count()).where(MAILS.c.died_at.is_(None)).select_from(MAILS))
        given_up = self._connection.scalar(select(func.count()).where(MAILS.c.died_at.is_not(None)).select_from(MAILS))
        latest = select(MAILS.c.last_error).where(MAILS.c.last_error != "").order_by(MAILS.c.created_at.desc())
        return MailState(waiting or 0, given_up or 0, self._connection.scalar(latest.limit(1)) or "")

    def seal_again(self) -> int:
        """With the key that seals now; return how many. Raises SecretsLocked."""
        rows = self._connection.execute(select(MAILS).with_for_update()).all()
        for row in rows:
            sealed = self._tx.secret_keys.seal(self._opened(row), _place(row.id))
            values = {"sealed": sealed.data, "sealed_by": sealed.key_name}
            self._connection.execute(update(MAILS).where(MAILS.c.id == row.id).values(values))
        return len(rows)

    def forget_locked(self) -> int:
        """Those that no key opens; return how many."""
        locked = [row.id for row in self._connection.execute(select(MAILS)).all() if self._mail(row) is None]
        self._connection.execute(delete(MAILS).where(MAILS.c.id.in_(locked)))
        return len(locked)

    def _mail(self, row: Row[Any]) -> Mail | None:
        try:
            written = json.loads(self._opened(row))
        except SecretsLocked:
            return None
        link = written.pop("link")
        return Mail(**written, link=MailLink(**link) if link else None)

    def _opened(self, row: Row[Any]) -> bytes:
        return self._tx.secret_keys.open(Sealed(row.sealed, row.sealed_by), _place(row.id))


def _place(mail_id: UUID) -> str:
    return f"mails.sealed:{mail_id}"
