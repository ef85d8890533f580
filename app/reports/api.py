"""Admin API: reports of visitors' questions over some days."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.core.field_rules import MAX_ZONE_CHARS, zone_named
from app.core.turn import TokenUsage
from app.quality.api.quality import TurnCountsOut
from app.reports.report import Figures, Report, Spent, Step
from app.reports.report_days import MOST_DAYS, ReportDays
from app.reports.report_file import COLUMNS, rows
from app.reports.reports import LISTED, MOST_AGENTS, PAGES_OF_TURNS, USUAL_DAYS, Reports
from app.reports.topic import TopicPart
from app.web.file_export import csv_table
from app.web.operation import Api, Call, Day, Model, get, read

TAG: Final = "Reports"


class ReportQuery(Model):
    first: Day | None = Field(
        default=None, description=f"If left out, the report covers {USUAL_DAYS} days, including the last."
    )
    last: Day | None = Field(default=None, description=f"If left out, today. A report covers at most {MOST_DAYS} days.")
    zone: str = Field(
        default="UTC",
        max_length=MAX_ZONE_CHARS,
        description="The time zone of days and hours: a name from the time zone database, such as Europe/Berlin.",
    )


class ReportDaysOut(Model, shows=ReportDays, fields="first last"): ...


class SpentOut(Model, shows=TokenUsage, fields="calls prompt_tokens completion_tokens cached_tokens cost"):
    calls: int = Field(description="Turns, and drafts for operators, that used the chat model.")
    cost: float | None = Field(description="In your currency; null if no prices are set.")

    @classmethod
    def showing(cls, spent: Spent) -> "SpentOut":
        return super().showing(spent, spent.usage)


class FiguresOut(
    Model,
    shows=Figures,
    fields="counts unaided_share satisfaction curated conversations visitors first_word_p50 first_word_p95 spent "
    "chats_up chats_down",
):
    counts: TurnCountsOut
    unaided_share: float | None = Field(
        description="The share answered without a person among answered, abstained and handed over, 0 to 1; null if "
        "there were none."
    )
    satisfaction: float | None = Field(
        description="The share of thumbs up among all thumbs, by which visitors say whether it was solved, 0 to 1; "
        "null if there were none."
    )
    spent: SpentOut
    chats_up: int = Field(description="Visitors who said in these days that talking to a person helped.")
    chats_down: int

    @classmethod
    def showing(cls, figures: Figures) -> "FiguresOut":
        chats = figures.chats
        spent = SpentOut.showing(figures.spent)
        return super().showing(figures, figures.counts, spent=spent, chats_up=chats.up, chats_down=chats.down)


class StepOut(Model):
    days: ReportDaysOut
    counts: TurnCountsOut
    first_word_p50: int | None
    first_word_p95: int | None
    spent: SpentOut

    @classmethod
    def showing(cls, step: Step) -> "StepOut":
        return super().showing(step, spent=SpentOut.showing(step.spent))


class PartOut(Model):
    key: str
    counts: TurnCountsOut


class TopicPartOut(Model, shows=TopicPart, fields="topic_id agent_id question conversation_id counts before"):
    counts: TurnCountsOut


class AgentPartOut(Model):
    agent_id: UUID
    name: str = Field(description="The name in the draft.")
    counts: TurnCountsOut


class ReportOut(Model):
    as_of: datetime
    zone: str
    days: ReportDaysOut
    days_before: ReportDaysOut = Field(description="The same number of days, directly before these.")
    now: FiguresOut
    before: FiguresOut
    steps: tuple[StepOut, ...] = Field(
        description="One step per day, or per week from Monday if there are more than 62 days."
    )
    hours: tuple[TurnCountsOut, ...] = Field(description="24 entries, by the hour of the question.")
    weekdays: tuple[TurnCountsOut, ...] = Field(description="7 entries, from Monday.")
    languages: tuple[PartOut, ...] = Field(
        description=f'By BCP 47 primary subtag, "" if it is not known; most questions first, at most {LISTED}.'
    )
    pages: tuple[PartOut, ...] = Field(
        description='The page on which it was asked, without query and fragment, "" if it is not known; most '
        f"questions first, at most {LISTED}, from the latest {PAGES_OF_TURNS} questions."
    )
    topics: tuple[TopicPartOut, ...] = Field(
        description=f"Questions that mean the same, grouped as gaps are; most questions first, at most {LISTED}."
    )
    in_no_topic: int = Field(description="Questions that the worker has not placed in a topic yet.")
    agents: tuple[AgentPartOut, ...] = Field(description=f"Oldest first, at most {MOST_AGENTS}.")
    kept_days: int = Field(description="Questions older than this are erased and no longer counted.")

    @classmethod
    def showing(cls, report: Report) -> "ReportOut":
        return super().showing(
            report,
            zone=report.days.zone.key,
            days_before=report.days.before,
            now=FiguresOut.showing(report.now),
            before=FiguresOut.showing(report.before),
            steps=tuple(map(StepOut.showing, report.steps)),
        )


class AdminReports(Api):
    tag = TAG

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    @get("/v1/report", "Get figures on the questions to all agents over a range of days", access=read)
    async def get_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.showing(await self._asked(call))

    @get(
        "/v1/report/export",
        "Export figures on the questions to all agents as one CSV file",
        access=read,
        response_media_type="text/csv",
    )
    async def export_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._asked(call))

    @get("/v1/agents/{agent_id}/report", "Get figures on the questions to an agent over a range of days", access=read)
    async def get_agent_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.showing(await self._asked(call, call.path_id("agent_id")))

    @get(
        "/v1/agents/{agent_id}/report/export",
        "Export figures on the questions to an agent as one CSV file",
        access=read,
        response_media_type="text/csv",
    )
    async def export_agent_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._asked(call, call.path_id("agent_id")))

    async def _asked(self, call: Call[Actor, ReportQuery], agent_id: UUID | None = None) -> Report:
        asked = call.input
        return await self._reports.report(call.caller, zone_named(asked.zone), asked.first, asked.last, agent_id)


def report_file(report: Report) -> Response:
    """A download."""
    name = f"report-{report.days.first}-{report.days.last}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(csv_table(COLUMNS, rows(report)), media_type="text/csv", headers=headers)
