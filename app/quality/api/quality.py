"""Admin API: how well an agent answers."""

from datetime import date
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.quality.quality import TurnCounts
from app.quality.quality_review import DAYS, LISTED, MAX_DAYS, MAX_TURNS, QualityReview, ThresholdCurves
from app.web.operation import Api, Call, Model, get, mirrors, read

TAG = "Quality"


class QualityQuery(Model):
    days: int = Field(default=30, ge=1, le=MAX_DAYS)


@mirrors(TurnCounts, "turns answered abstained failed handed_over thumbs_up thumbs_down answered_share")
class TurnCountsOut(Model):
    answered: int = Field(description="With an answer of sufficient confidence.")
    abstained: int = Field(description="Nothing, or too little, was found.")
    handed_over: int = Field(description="Conversations in which a person was asked for.")
    answered_share: float | None = Field(
        description="The share of answered turns among answered and abstained, 0 to 1; null if there were none."
    )


class DayQualityOut(Model):
    day: date
    turns: int
    answered: int = Field(description="With an answer of sufficient confidence.")
    abstained: int = Field(description="Nothing, or too little, was found.")
    handed_over: int = Field(description="Conversations in which a person was asked for.")
    failed: int
    thumbs_up: int
    thumbs_down: int
    first_token_p50: int | None = Field(description="In milliseconds.")
    first_token_p95: int | None = Field(description="In milliseconds.")


class CitedPageOut(Model):
    url: str
    title: str
    citations: int


class UncitedPageOut(Model):
    url: str
    title: str


class QualityOut(Model):
    days: tuple[DayQualityOut, ...] = Field(description="UTC, oldest first, today last.")
    top_pages: tuple[CitedPageOut, ...] = Field(description=f"Most cited first, at most {LISTED}.")
    never_cited: tuple[UncitedPageOut, ...] = Field(description=f"Live pages that no answer cites, at most {LISTED}.")
    never_cited_count: int
    live_pages: int


class ThresholdPointOut(Model):
    threshold: float
    answered: float | None = Field(description="The share of turns that would be answered, 0 to 1.")
    golden_right: float | None = Field(description="The share of golden questions that would be right, 0 to 1.")


class ThresholdCurveOut(Model):
    days: int
    turns: int = Field(description=f"The latest turns of these days, at most {MAX_TURNS}.")
    golden_questions: int
    golden_run_id: UUID | None = Field(description="The latest run with the draft; null if there is none.")
    current: float = Field(description="The draft's threshold.")
    points: tuple[ThresholdPointOut, ...] = Field(description="By rising threshold, from 0 to 1.")


class AdminQuality(Api):
    tag = TAG

    def __init__(self, review: QualityReview, curves: ThresholdCurves) -> None:
        self._review = review
        self._curves = curves

    @get(
        "/v1/agents/{agent_id}/quality",
        "Get how well an agent answers, day by day, and which pages it cites",
        access=read,
    )
    async def get_quality(self, call: Call[Actor, QualityQuery]) -> QualityOut:
        return QualityOut.of(await self._review.of(call.caller, call.path_id("agent_id"), call.input.days))

    @get(
        "/v1/agents/{agent_id}/threshold-curve",
        f"Get what other confidence thresholds would have done in the last {DAYS} days",
        access=read,
    )
    async def get_threshold_curve(self, call: Call[Actor, None]) -> ThresholdCurveOut:
        return ThresholdCurveOut.of(await self._curves.of(call.caller, call.path_id("agent_id")))
