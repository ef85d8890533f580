"""Admin API: reports of visitors' questions over some days."""

from typing import Annotated, Final
from uuid import UUID

from starlette.responses import Response

from app.core.actor import Actor
from app.core.field_rules import zone_named
from app.quality.api.quality import TurnCountsOut
from app.reports.report import AgentPart, Figures, Part, Report, Spent, Step, TopicPart
from app.reports.report_days import MOST_DAYS, ZONE, ReportDays
from app.reports.report_file import COLUMNS, rows
from app.reports.reports import USUAL_DAYS, Reports
from app.web.file_export import csv_table
from app.web.operation import Api, Call, Day, Model, get, read

TAG: Final = "Reports"


class ReportQuery(Model):
    first: Annotated[Day | None, f"If left out, the report covers {USUAL_DAYS} days, including the last."] = None
    last: Annotated[Day | None, f"If left out, today. A report covers at most {MOST_DAYS} days."] = None
    zone: Annotated[
        str, ZONE, "The time zone of days and hours: a name from the time zone database, such as Europe/Berlin."
    ] = "UTC"


class ReportDaysOut(Model, shows=ReportDays, fields="first last"): ...


class SpentOut(
    Model, shows=Spent, parts="usage", fields="calls prompt_tokens completion_tokens cached_tokens cost"
): ...


class FiguresOut(
    Model,
    shows=Figures,
    parts="counts",
    fields="counts unaided_share satisfaction curated conversations visitors first_word_p50 first_word_p95 spent "
    "chats_up=chats.up chats_down=chats.down",
):
    counts: TurnCountsOut


class StepOut(Model, shows=Step, fields="days counts first_word_p50 first_word_p95 spent"):
    counts: TurnCountsOut


class PartOut(Model, shows=Part, fields="key counts"):
    counts: TurnCountsOut


class TopicPartOut(Model, shows=TopicPart, fields="topic_id agent_id question conversation_id counts before"):
    counts: TurnCountsOut


class AgentPartOut(Model, shows=AgentPart, fields="agent_id name counts"):
    counts: TurnCountsOut


class ReportOut(
    Model,
    shows=Report,
    fields="as_of zone=days.zone.key days days_before=days.before now before steps hours weekdays languages pages "
    "topics in_no_topic agents kept_days",
):
    zone: str
    hours: tuple[TurnCountsOut, ...]
    weekdays: tuple[TurnCountsOut, ...]


class AdminReports(Api):
    tag = TAG
    _reports: Reports

    @get("/v1/report", "Get figures on the questions to all agents over a range of days", access=read)
    async def get_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.showing(await self._report(call))

    @get(
        "/v1/report/export",
        "Export figures on the questions to all agents as one CSV file",
        access=read,
        response_media_type="text/csv",
    )
    async def export_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._report(call))

    @get("/v1/agents/{agent_id}/report", "Get figures on the questions to an agent over a range of days", access=read)
    async def get_agent_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.showing(await self._report(call, call.path_id("agent_id")))

    @get(
        "/v1/agents/{agent_id}/report/export",
        "Export figures on the questions to an agent as one CSV file",
        access=read,
        response_media_type="text/csv",
    )
    async def export_agent_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._report(call, call.path_id("agent_id")))

    async def _report(self, call: Call[Actor, ReportQuery], agent_id: UUID | None = None) -> Report:
        query = call.input
        return await self._reports.report(call.caller, zone_named(query.zone), query.first, query.last, agent_id)


def report_file(report: Report) -> Response:
    name = f"report-{report.days.first}-{report.days.last}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(csv_table(COLUMNS, rows(report)), media_type="text/csv", headers=headers)
