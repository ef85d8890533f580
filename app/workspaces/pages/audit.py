"""Who changed what."""

from pydantic import Field

from app.core.list_page import PageRequest
from app.web.access import manage
from app.web.console.page import Form, MenuEntry, Pages, Shown, Visit, page
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.audit_log import AuditLog

_SHOWN = 100


class AuditWanted(Form):
    actor: str | None = Field(default=None, max_length=300)
    action: str | None = Field(default=None, max_length=100)
    subject: str | None = Field(default=None, max_length=100)
    cursor: str | None = Field(default=None, max_length=512)


class AuditPages(Pages):
    def __init__(self, log: AuditLog) -> None:
        self._log = log

    @page("/console/audit", access=manage, menu=MenuEntry("Audit", 30, "log"))
    async def audit(self, visit: Visit[AuditWanted]) -> Shown:
        wanted = visit.input
        only = AuditFilter(wanted.actor, wanted.action, wanted.subject)
        page = await self._log.page(visit.actor, PageRequest(_SHOWN, wanted.cursor), only)
        kept = {"actor": wanted.actor, "action": wanted.action, "subject": wanted.subject}
        return Shown("audit.html", {"page": page, "wanted": wanted, "kept": kept})
