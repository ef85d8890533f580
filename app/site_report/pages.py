"""The console's page for a report on what an agent has read of a website."""

from starlette.responses import Response

from app.core.list_page import PageRequest
from app.site_report.api import SiteReportIn
from app.site_report.ordered_report import ReportKind
from app.site_report.report_orders import ReportOrders
from app.site_report.site_reports import WebsiteReports
from app.sources.source import ENDED_STATES
from app.sources.sources import Sources
from app.web.console.page import Form, Go, Link, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.file_export import page_download

_PATH = "/console/agents/{agent_id}/site-report"
_MANY = PageRequest(limit=200)


class SiteReportForm(SiteReportIn, Form): ...


class SiteReportPages(Pages):
    _sources: Sources
    _reports: WebsiteReports
    _orders: ReportOrders

    @page(_PATH, access=read, under="sources", link=Link("sources", "Website report", icon="report"))
    async def site_report(self, visit: Visit[NoForm]) -> Shown:
        found = await self._sources.sources(visit.actor, visit.agent.id, _MANY)
        read_ones = [
            (str(each.id), each.config.name) for each in found.items if each.run and each.run.state in ENDED_STATES
        ]
        report = await self._orders.latest(visit.actor, visit.agent.id, ReportKind.WEBSITE)
        return Shown("site_report/ordered_report.html", {"report": report, "sources": read_ones})

    @action(_PATH, access=write, shown_on="site_report")
    async def order_site_report(self, visit: Visit[SiteReportForm]) -> Go:
        wanted = visit.input
        await self._reports.order(visit.actor, visit.agent.id, wanted.source_id, wanted.questions)
        return Go(visit.url("site_report"), "A worker is making the report.")

    @page(_PATH + "/file", access=read, under="sources", is_file=True)
    async def download_site_report(self, visit: Visit[NoForm]) -> Response:
        report = await self._orders.report(visit.actor, visit.agent.id, ReportKind.WEBSITE)
        return page_download("report", report.page)
