"""Ordered reports."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, String, select

from app.site_report.ordered_report import OrderedReport, ReportKind
from app.store.schema import StorableJson, StorableText, UtcDateTime, column, parent, table
from app.store.tables.agents import AGENTS
from app.store.transaction import Repository, value_of

ORDERED_REPORTS = table(
    "ordered_reports",
    parent("agent_id", "agents", primary_key=True),
    column("kind", String(20), primary_key=True),
    column("name", StorableText),
    column("asked_by", StorableText),
    column("asked_at", UtcDateTime),
    column("wanted", StorableJson),
    column("asked", Integer),
    column("questions", Integer),
    column("due_at", UtcDateTime, index=True, nullable=True),
    column("problem", StorableText),
    column("result", StorableJson, nullable=True),
    column("page", StorableText),
)


class OrderedReportRecords(Repository):
    """The caller has checked the workspace."""

    def put(self, report: OrderedReport) -> None:
        """Store the report in place of the agent's earlier one of that kind."""
        keys: Mapping[str, Any] = {"agent_id": report.agent_id, "kind": report.kind.value}
        self._put(ORDERED_REPORTS, keys, report)

    def find(self, agent_id: UUID, kind: ReportKind) -> OrderedReport | None:
        of_agent = (ORDERED_REPORTS.c.agent_id == agent_id, ORDERED_REPORTS.c.kind == kind.value)
        return self._value(OrderedReport, select(ORDERED_REPORTS).where(*of_agent))

    def take(self, kind: ReportKind, now: datetime, until: datetime) -> tuple[UUID, OrderedReport] | None:
        """The oldest report due by `now`, with its workspace's id; it is due again at `until`. None if none is due."""
        statement = (
            select(ORDERED_REPORTS, AGENTS.c.workspace_id)
            .join(AGENTS, AGENTS.c.id == ORDERED_REPORTS.c.agent_id)
            .where(ORDERED_REPORTS.c.due_at <= now, ORDERED_REPORTS.c.kind == kind.value)
            .order_by(ORDERED_REPORTS.c.asked_at)
            .limit(1)
            .with_for_update(of=ORDERED_REPORTS, skip_locked=True)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        report = value_of(OrderedReport, found)
        if not self._update(
            ORDERED_REPORTS, *_this_order(report), ORDERED_REPORTS.c.due_at == report.due_at, due_at=until
        ):
            return None  # another worker was faster
        return found.workspace_id, replace(report, due_at=until)

    def renew(self, report: OrderedReport, until: datetime, asked: int, questions: int) -> None:
        self._update(ORDERED_REPORTS, *_this_order(report), due_at=until, asked=asked, questions=questions)

    def end(self, report: OrderedReport) -> None:
        """Store how it ended, unless another was ordered meanwhile."""
        if self._update(ORDERED_REPORTS, *_this_order(report), due_at=None):
            self.put(report)


def _this_order(report: OrderedReport) -> tuple[ColumnElement[bool], ...]:
    """The condition for this order, and no later one."""
    columns = ORDERED_REPORTS.c
    return (columns.agent_id == report.agent_id, columns.kind == report.kind.value, columns.asked_at == report.asked_at)
