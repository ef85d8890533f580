"""One line of the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`actor` names a token or an operator ("somebody" where a sign-in was refused), `action` reads "agent.publish",
    `subject` is an id; `subject_name` is what people call it now, "" where it is gone or has no name."""

    id: UUID
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]
    created_at: datetime
    subject_name: str = ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Of that actor, with that beginning of the action, about that subject, from `since`, before `until`; None: any."""

    actor: str | None = None
    action: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERY_ENTRY = AuditFilter()
