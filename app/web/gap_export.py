"""Admin API: all gaps of an agent as one file, for a spreadsheet or a program."""

from collections.abc import Iterable, Sequence
from typing import Final

from starlette.responses import Response

from app.domain.gap import Gap
from app.domain.spreadsheet_cell import as_cell
from app.operating.actor import Actor
from app.operating.gaps import MAX_EXPORTED, Gaps
from app.web.admin_access import AdminAccess
from app.web.admin_gaps import TAG, GapFilterQuery, GapOut
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.file_export import ExportFormat, csv_table, exported

_COLUMNS: Final = ("question", "count", "state", "reason", "first_seen", "last_seen", "assignee", "note", "id")


class GapExportQuery(GapFilterQuery):
    format: ExportFormat = "csv"


class GapExport:
    def __init__(self, gaps: Gaps, access: AdminAccess) -> None:
        self._gaps = gaps
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/agents/{agent_id}/gaps/export",
                "exportGaps",
                f"Gaps as one CSV or JSON file, most asked first, {MAX_EXPORTED} at most",
                TAG,
                self._access.read,
                self.export,
                input_model=GapExportQuery,
                response_media_type="text/csv",
                other_media_types=("application/json",),
                codes=("not_found",),
            ),
        )

    async def export(self, call: Call[Actor, GapExportQuery]) -> Response:
        gaps = await self._gaps.all_of_agent(call.caller, call.path_id("agent_id"), call.input.state, call.input.only)
        return gaps_file(gaps, call.input.format)


def gaps_file(gaps: Sequence[Gap], form: ExportFormat) -> Response:
    """A download."""
    return exported("gaps", form, lambda: as_csv(gaps), map(GapOut.of, gaps))


def as_csv(gaps: Iterable[Gap]) -> str:
    """One row a gap; no cell starts a formula."""
    return csv_table(_COLUMNS, map(_row, gaps))


def _row(gap: Gap) -> tuple[str, ...]:
    seen = gap.first_seen.isoformat(), gap.last_seen.isoformat()
    texts = as_cell(gap.question), str(gap.count), gap.state.value, gap.reason.value
    return (*texts, *seen, as_cell(gap.assignee), as_cell(gap.note), str(gap.id))
