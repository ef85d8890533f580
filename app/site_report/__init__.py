"""Reports on websites that an agent has read: what visitors would be answered, and what is wrong with the pages."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.quality.api.quality import AdminQuality
    from app.site_report.api import AdminSiteReports
    from app.site_report.pages import SiteReportPages

    return Edge({AdminSiteReports: AdminQuality}, (SiteReportPages,))


def _work() -> Work:
    from app.site_report.site_reports import SiteReports

    return Work((Job(5, "website reports", SiteReports, SiteReports.make_due),))


FEATURE = Feature(name="site_report", edge=_edge, work=_work)
