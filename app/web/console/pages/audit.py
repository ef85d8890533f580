"""Who changed what."""

from collections.abc import Sequence

from pydantic import Field

from app.domain.audit_entry import AuditFilter
from app.domain.list_page import PageRequest
from app.operating.actor import MANAGE
from app.operating.audit_log import AuditLog
from app.web.console.page import AnyPage, ConsolePage, Form, MenuEntry, Shown, Visit
from app.web.services import WebServices

_SHOWN = 100


class AuditWanted(Form):
    actor: str | None = Field(default=None, max_length=300)
    action: str | None = Field(default=None, max_length=100)
    subject: str | None = Field(default=None, max_length=100)
    cursor: str | None = Field(default=None, max_length=512)


class AuditPages:
    def __init__(self, services: WebServices) -> None:
        self._log = AuditLog(services.records)

    def pages(self) -> Sequence[AnyPage]:
        entry = MenuEntry("Audit", 30, "log")
        return (ConsolePage("GET", "/console/audit", "audit", MANAGE, self.list, form=AuditWanted, menu=entry),)

    async def list(self, visit: Visit[AuditWanted]) -> Shown:
        wanted = visit.given
        only = AuditFilter(wanted.actor, wanted.action, wanted.subject)
        page = await self._log.page(visit.actor, PageRequest(_SHOWN, wanted.cursor), only)
        kept = {"actor": wanted.actor, "action": wanted.action, "subject": wanted.subject}
        return Shown("audit.html", {"page": page, "wanted": wanted, "kept": kept})
