"""Admin API: who changed what."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.web.access import manage
from app.web.endpoint import Api, Call, get
from app.web.list_models import ListOut, ListQuery, listed
from app.web.model import Model
from app.workspaces.audit_entry import AuditEntry, AuditFilter
from app.workspaces.audit_log import AuditLog


class AuditQuery(ListQuery):
    actor: str | None = Field(default=None, max_length=300, description="A token's name, or an operator's e-mail.")
    action: str | None = Field(default=None, max_length=100, description='How it begins: "agent", "agent.publish".')
    subject: str | None = Field(default=None, max_length=100, description="The id of what was changed.")

    @property
    def only(self) -> AuditFilter:
        return AuditFilter(self.actor, self.action, self.subject)


class AuditEntryOut(Model):
    id: UUID
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]
    created_at: datetime

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditEntryOut":
        return cls.model_validate(entry)


class AdminAudit(Api):
    tag = "Audit"

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    @get("/v1/audit", "Who changed what, latest first", access=manage)
    async def list_audit(self, call: Call[Actor, AuditQuery]) -> ListOut[AuditEntryOut]:
        asked = call.input
        return listed(
            ListOut[AuditEntryOut], await self._log.page(call.caller, asked.page, asked.only), AuditEntryOut.of
        )
