"""Who changed what."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from app.web.console.page import Form, ListWanted, MenuEntry, Pages, Shown, Visit, manage, page
from app.web.file_export import ExportFormat
from app.web.model import takes
from app.workspaces.api.audit import audit_file
from app.workspaces.audit_entry import AuditFilter, declared_changes
from app.workspaces.audit_log import AuditLog
from app.workspaces.operators import Assignees

_SHOWN = 100
_Day = Annotated[date, Field(ge=date(2000, 1, 1), lt=date(3000, 1, 1))]


@takes(AuditFilter, "actor action subject")
class AuditNarrowed(Form):
    """Days in UTC, both inclusive."""

    since: _Day | None = None
    until: _Day | None = None

    @property
    def only(self) -> AuditFilter:
        since = None if self.since is None else datetime.combine(self.since, time(), UTC)
        until = None if self.until is None else datetime.combine(self.until, time(), UTC) + timedelta(days=1)
        return self.made(AuditFilter, since=since, until=until)


class AuditWanted(AuditNarrowed, ListWanted):
    pass


class AuditExport(AuditNarrowed):
    format: ExportFormat = "csv"


class AuditPages(Pages):
    def __init__(self, log: AuditLog, people: Assignees) -> None:
        self._log = log
        self._people = people

    @page("/console/audit", access=manage, menu=MenuEntry("Audit", "Workspace", 3, "log"))
    async def audit(self, visit: Visit[AuditWanted]) -> Shown:
        wanted = visit.input
        page = await self._log.page(visit.actor, wanted.part(_SHOWN), wanted.only)
        kept = wanted.model_dump(mode="json", exclude={"cursor"}, exclude_none=True)
        people = await self._people.of_workspace(visit.actor)
        told = {"page": page, "wanted": wanted, "kept": kept, "people": people, "kinds": declared_changes()}
        return Shown("workspaces/pages/audit.html", told)

    @page("/console/audit/export", access=manage, under="audit", is_file=True)
    async def export_audit(self, visit: Visit[AuditExport]) -> Response:
        wanted = visit.input
        return audit_file(await self._log.fitting(visit.actor, wanted.only), wanted.format)
