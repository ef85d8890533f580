"""Admin API: a workspace at a glance."""

from datetime import date, datetime
from uuid import UUID

from pydantic import Field

from app.agents.api.agent_models import TokenBudgetOut
from app.agents.set_up import NEW_FOR, Step
from app.conversations.api.conversations import OpenChatOut
from app.core.actor import Actor
from app.gaps.api.gaps import GapOut
from app.gaps.gap import GrowingGap
from app.overview.overview import LISTED, MOST_AGENTS, WEEK_DAYS, Change, Overview, Overviews
from app.quality.api.quality import TurnCountsOut
from app.sources.deletions.api import DeletionOut
from app.sources.source import LatestReading
from app.web.operation import Api, Call, Model, get, read

TAG = "Overview"


class DayCountsOut(Model):
    day: date
    counts: TurnCountsOut


class AgentCountsOut(Model):
    agent_id: UUID
    name: str = Field(description="The name in the draft.")
    today: TurnCountsOut
    week: TurnCountsOut
    budget: TokenBudgetOut | None = Field(description="Null without a limit.")


class FailingSourceOut(
    Model, shows=LatestReading, fields="source_id agent_id name state stop_reason kept_pages ended_at"
):
    kept_pages: int = Field(
        description="Pages that could not be read, and of which answers still use the earlier text. 0: nothing is left "
        "to answer from."
    )


class GrowingGapOut(Model, shows=GrowingGap, fields="id agent_id question this_week week_before"): ...


class ChangeOut(Model, shows=Change, fields="kind at agent_id subject_id words"):
    subject_id: UUID = Field(description="The id of the agent, source or gap.")


class StepOut(Model):
    step: Step
    is_done: bool


class SetUpOut(Model):
    agent_id: UUID
    name: str = Field(description="The name in the draft.")
    steps: tuple[StepOut, ...] = Field(description="In order.")


class OverviewOut(Model):
    as_of: datetime
    agents: tuple[AgentCountsOut, ...] = Field(description=f"Oldest first, at most {MOST_AGENTS}.")
    days: tuple[DayCountsOut, ...] = Field(
        description=f"The last {WEEK_DAYS} days (UTC) of all these agents, today last."
    )
    week: TurnCountsOut = Field(description="The sum of these days.")
    week_before: TurnCountsOut = Field(description="The same number of days before.")
    waiting_count: int = Field(description="Visitors waiting for a person.")
    waiting: tuple[OpenChatOut, ...] = Field(description=f"Longest waiting first, at most {LISTED}.")
    failing: tuple[FailingSourceOut, ...] = Field(
        description="Sources whose latest reading failed or could not read pages that answers use, latest first."
    )
    unfinished: tuple[DeletionOut, ...] = Field(
        description="Deletions that no worker could finish, oldest first: `POST /v1/deletions/{deletion_id}/finish`."
    )
    growing: tuple[GrowingGapOut, ...] = Field(
        description="Open gaps that were asked more often than in the week before."
    )
    assigned: tuple[GapOut, ...] = Field(description="Open gaps assigned to the caller; empty for an API token.")
    changes: tuple[ChangeOut, ...] = Field(description="Changes in these days, latest first.")
    set_ups: tuple[SetUpOut, ...] = Field(
        description=f"Agents of the last {NEW_FOR.days} days that no website has shown yet, newest first."
    )

    @classmethod
    def showing(cls, overview: Overview) -> "OverviewOut":
        return super().showing(overview, waiting=tuple(map(OpenChatOut.showing, overview.waiting)))


class AdminOverview(Api):
    tag = TAG

    def __init__(self, overviews: Overviews) -> None:
        self._overviews = overviews

    @get("/v1/overview", "Get the workspace at a glance: today, this week, and what needs attention", access=read)
    async def get_overview(self, call: Call[Actor, None]) -> OverviewOut:
        return OverviewOut.showing(await self._overviews.overview(call.caller))
