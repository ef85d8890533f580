"""Admin API: reports of visitors' questions over some days."""

from datetime import date, datetime
from typing import Final
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.core.time_zone import MAX_ZONE_CHARS, zone_named
from app.quality.api.quality import TurnCountsOut
from app.reports.report import Figures, Report, Spent, Step
from app.reports.report_days import MOST_DAYS, ReportDays
from app.reports.report_file import COLUMNS, rows
from app.reports.reports import LISTED, MOST_AGENTS, PAGES_OF_TURNS, USUAL_DAYS, Reports
from app.web.file_export import csv_table
from app.web.operation import Api, Call, Day, Model, get, read

TAG: Final = "Reports"


class ReportQuery(Model):
    first: Day | None = Field(default=None, description=f"{USUAL_DAYS} days with the last one when left out.")
    last: Day | None = Field(default=None, description=f"Today when left out. {MOST_DAYS} days at most.")
    zone: str = Field(
        default="UTC",
        max_length=MAX_ZONE_CHARS,
        description="Whose days and hours: a name of the time zone database, such as Europe/Berlin.",
    )


class ReportDaysOut(Model):
    first: date
    last: date


class SpentOut(Model):
    calls: int = Field(description="Turns, and what operators had written, that the chat model was asked for.")
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = Field(description="Of the prompt's.")
    cost: float | None = Field(description="In your currency; null where no price is set.")

    @classmethod
    def of(cls, spent: Spent) -> "SpentOut":
        return super().of(spent, spent.usage)


class FiguresOut(Model):
    counts: TurnCountsOut
    unaided_share: float | None = Field(
        description="Answered without a person, of answered, abstained and handed over, 0..1; null for none."
    )
    satisfaction: float | None = Field(description="Thumbs up of all thumbs, 0..1; null where there was none.")
    curated: int = Field(description="Of the answered, by a curated answer.")
    conversations: int = Field(description="With a question.")
    visitors: int = Field(description="With a question.")
    first_word_p50: int | None = Field(description="Milliseconds within which half of the answers began.")
    first_word_p95: int | None = Field(description="Milliseconds within which 95 of 100 answers began.")
    spent: SpentOut
    chats_up: int = Field(description="Visitors who said in these days that talking with a person helped.")
    chats_down: int

    @classmethod
    def of(cls, figures: Figures) -> "FiguresOut":
        chats = figures.chats
        spent = SpentOut.of(figures.spent)
        return super().of(figures, figures.counts, spent=spent, chats_up=chats.up, chats_down=chats.down)


class StepOut(Model):
    days: ReportDaysOut
    counts: TurnCountsOut
    first_word_p50: int | None
    first_word_p95: int | None
    spent: SpentOut

    @classmethod
    def of(cls, step: Step) -> "StepOut":
        return super().of(step, days=_days(step.days), spent=SpentOut.of(step.spent))


class PartOut(Model):
    key: str
    counts: TurnCountsOut


class TopicPartOut(Model):
    topic_id: UUID
    agent_id: UUID
    question: str = Field(description="That was asked of it first; personal data is masked.")
    conversation_id: UUID = Field(description="In which that was.")
    counts: TurnCountsOut
    before: int = Field(description="Questions of the days before.")


class AgentPartOut(Model):
    agent_id: UUID
    name: str = Field(description="The draft's.")
    counts: TurnCountsOut


class ReportOut(Model):
    as_of: datetime
    zone: str
    days: ReportDaysOut
    days_before: ReportDaysOut = Field(description="As many, which end where these begin.")
    now: FiguresOut
    before: FiguresOut
    steps: tuple[StepOut, ...] = Field(description="The days one by one; of more than 62 the weeks, from Monday on.")
    hours: tuple[TurnCountsOut, ...] = Field(description="24, by when questions were asked.")
    weekdays: tuple[TurnCountsOut, ...] = Field(description="7, Monday first.")
    languages: tuple[PartOut, ...] = Field(
        description=f'By BCP 47 primary subtag, "" where it was not told; most questions first, {LISTED} at most.'
    )
    pages: tuple[PartOut, ...] = Field(
        description='Where it was asked, without query and anchor, "" where it was not told; most questions first, '
        f"{LISTED} at most, of the latest {PAGES_OF_TURNS} questions."
    )
    topics: tuple[TopicPartOut, ...] = Field(
        description=f"Questions that mean the same, as gaps are grouped; most questions first, {LISTED} at most."
    )
    in_no_topic: int = Field(description="Questions that the worker is to place in a topic yet.")
    agents: tuple[AgentPartOut, ...] = Field(description=f"Oldest first, {MOST_AGENTS} at most.")
    kept_days: int = Field(description="What was asked before then is erased, and counted no more.")

    @classmethod
    def of(cls, report: Report) -> "ReportOut":
        return super().of(
            report,
            zone=report.days.zone.key,
            days=_days(report.days),
            days_before=_days(report.days.before),
            now=FiguresOut.of(report.now),
            before=FiguresOut.of(report.before),
            steps=tuple(map(StepOut.of, report.steps)),
        )


def _days(days: ReportDays) -> ReportDaysOut:
    return ReportDaysOut(first=days.first, last=days.last)


class AdminReports(Api):
    tag = TAG

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    @get("/v1/report", "Get figures on the questions to all agents over a range of days", access=read)
    async def get_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.of(await self._asked(call))

    @get(
        "/v1/report/export",
        "The same as one CSV file",
        access=read,
        response_media_type="text/csv",
    )
    async def export_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._asked(call))

    @get("/v1/agents/{agent_id}/report", "Get figures on the questions to an agent over a range of days", access=read)
    async def get_agent_report(self, call: Call[Actor, ReportQuery]) -> ReportOut:
        return ReportOut.of(await self._asked(call, call.path_id("agent_id")))

    @get("/v1/agents/{agent_id}/report/export", "The same as one CSV file", access=read, response_media_type="text/csv")
    async def export_agent_report(self, call: Call[Actor, ReportQuery]) -> Response:
        return report_file(await self._asked(call, call.path_id("agent_id")))

    async def _asked(self, call: Call[Actor, ReportQuery], agent_id: UUID | None = None) -> Report:
        asked = call.input
        return await self._reports.of(call.caller, zone_named(asked.zone), asked.first, asked.last, agent_id)


def report_file(report: Report) -> Response:
    """A download."""
    name = f"report-{report.days.first}-{report.days.last}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(csv_table(COLUMNS, rows(report)), media_type="text/csv", headers=headers)
