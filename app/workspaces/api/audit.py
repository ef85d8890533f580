"""Admin API: who changed what."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.web.file_export import ExportFormat, exported
from app.web.operation import Api, Call, ListOut, ListQuery, Model, Timestamp, get, manage, mirrors, takes
from app.workspaces.audit_entry import AuditEntry, AuditFilter
from app.workspaces.audit_log import MAX_EXPORTED, AuditLog

_COLUMNS: Final = (
    *("created_at", "actor", "action", "subject", "subject_name", "details", "action_name"),
    *("operator_id", "token_id"),
)


@takes(AuditFilter, "actor action subject since until")
class AuditWanted(Model):
    since: Timestamp | None = Field(default=None, description="At this time or later.")
    until: Timestamp | None = Field(default=None, description="Before this time.")

    @property
    def only(self) -> AuditFilter:
        return self.made(AuditFilter)


class AuditQuery(ListQuery, AuditWanted):
    pass


class AuditExportQuery(AuditWanted):
    format: ExportFormat = "csv"


@mirrors(AuditEntry, "id actor operator_id token_id action action_name subject subject_name details created_at")
class AuditEntryOut(Model):
    pass


class AdminAudit(Api):
    tag = "Audit"

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    @get("/v1/audit", "List who changed what, latest first", access=manage)
    async def list_audit(self, call: Call[Actor, AuditQuery]) -> ListOut[AuditEntryOut]:
        asked = call.input
        return ListOut[AuditEntryOut].showing(await self._log.page(call.caller, asked.page, asked.only))

    @get(
        "/v1/audit/export",
        f"Export who changed what as one CSV or JSON file, at most {MAX_EXPORTED}",
        access=manage,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_audit(self, call: Call[Actor, AuditExportQuery]) -> Response:
        return audit_file(await self._log.fitting(call.caller, call.input.only), call.input.format)


def audit_file(entries: Sequence[AuditEntry], form: ExportFormat) -> Response:
    """A download."""
    return exported("audit", form, _COLUMNS, map(AuditEntryOut.showing, entries))
