"""Admin API: a report on what an agent has read of a website."""

from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.report_orders import ReportOrders
from app.site_report.site_reports import WebsiteReports
from app.web.file_export import page_download
from app.web.operation import Api, Call, Model, example, get, post, read, write

_MOST_CHARS = 200_000


@example(source_id="3f0e1c9a-7a4e-4b57-9d0c-7b1f6f1f2a10", questions="question\nCan I pay by invoice?\n")
class SiteReportIn(Model):
    source_id: UUID = Field(description="A source of the agent that has been read.")
    questions: str = Field(
        default="",
        max_length=_MOST_CHARS,
        description="Real questions to ask as well, up to 500: CSV with a column named question, or one on each line.",
    )


class OrderedReportOut(
    Model, shows=OrderedReport, fields="name asked_by asked_at asked questions problem result is_running"
): ...


class AdminSiteReports(Api):
    tag = "Quality"
    _reports: WebsiteReports
    _orders: ReportOrders

    @post(
        "/v1/agents/{agent_id}/site-report",
        "Order a report on a website that the agent has read; a worker makes it, and it replaces the earlier one",
        access=write,
        status=202,
    )
    async def order_site_report(self, call: Call[Actor, SiteReportIn]) -> OrderedReportOut:
        wanted = call.input
        agent_id = call.path_id("agent_id")
        return OrderedReportOut.showing(
            await self._reports.order(call.caller, agent_id, wanted.source_id, wanted.questions)
        )

    @get(
        "/v1/agents/{agent_id}/site-report",
        "Get the latest report on a website: what it answers, contradicts and has left to age",
        access=read,
    )
    async def get_site_report(self, call: Call[Actor, None]) -> OrderedReportOut:
        return OrderedReportOut.showing(await self._latest(call))

    @get(
        "/v1/agents/{agent_id}/site-report/page",
        "Download the latest report on a website as one HTML file; empty until it is made",
        access=read,
        response_media_type="text/html",
    )
    async def download_site_report(self, call: Call[Actor, None]) -> Response:
        return page_download("report", (await self._latest(call)).page)

    async def _latest(self, call: Call[Actor, None]) -> OrderedReport:
        return await self._orders.report(call.caller, call.path_id("agent_id"), ReportKind.WEBSITE)
