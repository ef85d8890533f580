"""The console's page for the threshold: the effect of other values as a curve with its numbers, and the form that sets
it.
"""

from dataclasses import replace
from uuid import UUID

from app.agents.agents import Agents
from app.core.errors import NotFound
from app.gaps.gap import LEAST_ADVISED
from app.gaps.gaps import GapTriage, GapView
from app.quality.quality_review import ThresholdCurves
from app.search.threshold_curve import ThresholdCurve
from app.web.console.charts import Line, LineChart, share_chart
from app.web.console.filters import percent
from app.web.console.forms import Percent
from app.web.console.page import Form, Go, Pages, Shown, Visit, action, page, read, write


class ThresholdWanted(Form):
    gap: UUID | None = None


class ThresholdForm(Form):
    confidence_threshold: Percent
    gap: UUID | None = None


class ThresholdPages(Pages):
    _agents: Agents
    _curves: ThresholdCurves
    _triage: GapTriage

    @page("/console/agents/{agent_id}/threshold", access=read, under="report")
    async def threshold(self, visit: Visit[ThresholdWanted]) -> Shown:
        """For a gap, also the threshold at which its question would have been answered."""
        curve = await self._curves.curve(visit.actor, visit.agent.id)
        gap = await self._gap(visit, visit.input.gap)
        answers_from = gap.snapshot.answers_from if gap and gap.snapshot else None
        return Shown(
            "gaps/pages/threshold.html",
            {
                "curve": curve,
                "chart": _chart(curve, answers_from),
                "gap": gap and gap.gap,
                "answers_from": answers_from,
                "least": LEAST_ADVISED,
                "suggested": curve.current if answers_from is None else min(curve.current, answers_from),
            },
        )

    @action("/console/agents/{agent_id}/threshold", access=write, shown_on="threshold")
    async def set_threshold(self, visit: Visit[ThresholdForm]) -> Go:
        given = visit.input
        gap = await self._gap(visit, given.gap)
        await self._agents.change_draft(
            visit.actor,
            visit.agent.id,
            lambda draft: replace(draft, confidence_threshold=given.confidence_threshold),
        )
        back = visit.url("gap", gap_id=gap.gap.id) if gap else visit.url("threshold")
        outcome = f"Threshold of the draft set to {percent(given.confidence_threshold)}."
        return Go(back, f"{outcome} Publish the draft to apply it.")

    async def _gap(self, visit: Visit[Form], gap_id: UUID | None) -> GapView | None:
        """Raises NotFound for another agent's."""
        if gap_id is None:
            return None
        view = await self._triage.view(visit.actor, gap_id)
        if view.gap.agent_id != visit.agent.id:
            raise NotFound("gap")
        return view


def _chart(curve: ThresholdCurve, answers_from: float | None) -> LineChart:
    answered = Line("% of questions would be answered", [_percent(point.answered) for point in curve.points])
    golden = Line("% of golden questions would go right", [_percent(point.golden_right) for point in curve.points])
    marks = [(curve.current, "now")]
    if answers_from is not None and answers_from != curve.current:
        marks.append((answers_from, "this gap"))
    return share_chart(answered, *([golden] if curve.golden_questions else []), marks=marks)


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)
