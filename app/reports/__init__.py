"""Reports: the outcomes of visitors' questions over any days, in figures."""

from app.feature import Edge, Feature, Job, Work
from app.reports.records.waiting_questions import await_topic


def _edge() -> Edge:
    from app.overview.api import AdminOverview
    from app.reports.api import AdminReports
    from app.reports.pages import CitedPages, ReportPages

    return Edge({AdminReports: AdminOverview}, (ReportPages, CitedPages))


def _work() -> Work:
    from app.reports.reports import DayPacking
    from app.reports.topic_placing import TopicPlacing

    return Work(
        (
            Job(10, "topics", TopicPlacing, TopicPlacing.place),
            Job(60, "packed days", DayPacking, DayPacking.pack),
        )
    )


FEATURE = Feature(name="reports", edge=_edge, work=_work, on_turn_end=(await_topic,))
