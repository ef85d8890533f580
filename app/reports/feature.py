"""Reports, as a guest of the core."""

from app.core.turn import AnsweredBy, TurnEnd
from app.feature import Edge, Feature, Job, Work
from app.reports.records.waiting_questions import WaitingQuestionRecords
from app.store.transaction import Transaction, TurnIds


def await_topic(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Queue the question for a topic, unless nothing was asked."""
    if end.answered_by is not AnsweredBy.SMALL_TALK:
        WaitingQuestionRecords(tx).wait(turn)


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
