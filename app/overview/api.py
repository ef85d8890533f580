"""Admin API: a workspace at a glance."""

from app.agents.api.agent_models import TokenBudgetOut
from app.agents.set_up import SetUp, StepState
from app.conversations.api.conversations import OpenChatOut
from app.core.actor import Actor
from app.gaps.api.gaps import GapOut
from app.gaps.gap import GrowingGap
from app.overview.overview import AgentCounts, Change, DayCounts, Overview, Overviews
from app.quality.api.quality import TurnCountsOut
from app.sources.deletions.api import DeletionOut
from app.sources.source import LatestReading
from app.web.operation import Api, Call, Model, get, read

TAG = "Overview"


class DayCountsOut(Model, shows=DayCounts, fields="day counts"):
    counts: TurnCountsOut


class AgentCountsOut(Model, shows=AgentCounts, fields="agent_id name today week budget"):
    today: TurnCountsOut
    week: TurnCountsOut
    budget: TokenBudgetOut | None


class FailingSourceOut(
    Model, shows=LatestReading, fields="source_id agent_id name state stop_reason kept_pages ended_at"
): ...


class GrowingGapOut(Model, shows=GrowingGap, fields="id agent_id question this_week week_before"): ...


class ChangeOut(Model, shows=Change, fields="kind at agent_id subject_id words"): ...


class StepOut(Model, shows=StepState, fields="step is_done"): ...


class SetUpOut(Model, shows=SetUp, fields="agent_id name steps"): ...


class OverviewOut(
    Model,
    shows=Overview,
    fields="as_of agents days week week_before waiting_count waiting failing unfinished growing assigned changes "
    "set_ups",
):
    week: TurnCountsOut
    week_before: TurnCountsOut
    waiting: tuple[OpenChatOut, ...]
    unfinished: tuple[DeletionOut, ...]
    assigned: tuple[GapOut, ...]


class AdminOverview(Api):
    tag = TAG
    _overviews: Overviews

    @get("/v1/overview", "Get the workspace at a glance: today, this week, and what needs attention", access=read)
    async def get_overview(self, call: Call[Actor, None]) -> OverviewOut:
        return OverviewOut.showing(await self._overviews.overview(call.caller))
