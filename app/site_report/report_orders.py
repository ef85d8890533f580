"""Operators order reports, and a worker makes them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, ClassVar, Final
from uuid import UUID

import structlog

from app.agents.own_agent import reads_agent, writes_agent
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import DocentError, InvalidInput, NotFound
from app.kit.clock import Clock
from app.kit.tasks import PeriodicTask
from app.kit.wiring import Wired
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.records import OrderedReportRecords
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of("agent", {"report": "Report ordered"})

log = structlog.get_logger(__name__)

# A worker that has been silent for this long has died: the next one starts again.
LEASE: Final = timedelta(minutes=2)
GIVEN_UP_AFTER: Final = timedelta(hours=2)
_BETWEEN_NOTES: Final = 3.0  # seconds
_OUR_FAULT: Final = "An unexpected error of Docent's own ended it. The log of its worker has the details."

Progress = Callable[[int, int], None]


class ReportOrders(Wired):
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _clock: Clock

    @writes_agent
    def order(
        self, tx: Transaction, actor: Actor, agent_id: UUID, kind: ReportKind, name: str, wanted: Mapping[str, Any]
    ) -> OrderedReport:
        """Raises InvalidInput if the agent is not published, or its earlier one is still being made."""
        try:
            AgentRecords(tx).live(agent_id)
        except NotFound:
            raise InvalidInput("", "Publish the agent first: it answers as visitors would get it.") from None
        earlier = OrderedReportRecords(tx).find(agent_id, kind)
        if earlier is not None and earlier.is_running:
            raise InvalidInput("", "The report that was ordered before is still being made. Wait until it is done.")
        now = self._clock.now()
        report = OrderedReport(agent_id, kind, name, actor.name, now, dict(wanted), due_at=now)
        OrderedReportRecords(tx).put(report)
        AuditRecords(tx).acted(actor, "agent.report", agent_id, kind=kind.value, about=name)
        return report

    @reads_agent
    def latest(self, tx: Transaction, actor: Actor, agent_id: UUID, kind: ReportKind) -> OrderedReport | None:
        return OrderedReportRecords(tx).find(agent_id, kind)

    async def report(self, actor: Actor, agent_id: UUID, kind: ReportKind) -> OrderedReport:
        """The latest. Raises NotFound if none was ordered."""
        found = await self.latest(actor, agent_id, kind)
        if found is None:
            raise NotFound("report")
        return found


@dataclass(frozen=True, slots=True)
class MadeReport:
    result: dict[str, Any]
    page: str = ""


class ReportMaker(ABC):
    """Makes the ordered reports of one kind."""

    kind: ClassVar[ReportKind]

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    @abstractmethod
    async def make(self, actor: Actor, report: OrderedReport, on_progress: Progress) -> MadeReport:
        """Call `on_progress` with the number of questions asked and of all questions. Raises DocentError."""

    async def make_due(self) -> int:
        """Make one report; return how many were due."""
        now = self._clock.now()
        due = await self._records.write(lambda tx: OrderedReportRecords(tx).take(self.kind, now, now + LEASE))
        if due is None:
            return 0
        workspace_id, report = due
        try:
            over = await self._made(Actor(workspace_id, report.asked_by), report)
        except Exception:  # would happen again: only a worker that died is followed by another
            await self._end(replace(report, wanted={}, due_at=None, problem=_OUR_FAULT))
            raise
        await self._end(over)
        return 1

    async def _end(self, over: OrderedReport) -> None:
        await self._records.of_agent(over.agent_id).write(lambda tx: OrderedReportRecords(tx).end(over))

    async def _made(self, actor: Actor, report: OrderedReport) -> OrderedReport:
        asked, questions = 0, 0

        def on_progress(done: int, of: int) -> None:
            nonlocal asked, questions
            asked, questions = done, of

        async def note() -> int:
            until = self._clock.now() + LEASE
            await self._records.of_agent(report.agent_id).write(
                lambda tx: OrderedReportRecords(tx).renew(report, until, asked, questions)
            )
            return 0

        ended = replace(report, wanted={}, due_at=None)
        if self._clock.now() - report.asked_at > GIVEN_UP_AFTER:
            return replace(ended, problem="No worker could make it within two hours. Their logs say why.")
        try:
            async with PeriodicTask("report notes", note, _BETWEEN_NOTES):
                made = await self.make(actor, report, on_progress)
        except DocentError as error:
            log.warning("report.failed", agent=str(report.agent_id), kind=report.kind.value, reason=str(error))
            return replace(ended, problem=str(error))
        return replace(ended, asked=asked, questions=questions, result=made.result, page=made.page)
