"""Admin API: how well an agent answers."""

from datetime import date
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.quality.quality_review import DAYS, LISTED, MAX_DAYS, MAX_TURNS, QualityReview, ThresholdCurves
from app.web.operation import Api, Call, Model, get, read

TAG = "Quality"


class QualityQuery(Model):
    days: int = Field(default=30, ge=1, le=MAX_DAYS)


class TurnCountsOut(Model):
    turns: int
    answered: int = Field(description="By an answer that was sure of itself.")
    abstained: int = Field(description="Nothing was found, or too little.")
    failed: int
    handed_over: int = Field(description="To a person whom the visitor asked for.")
    thumbs_up: int
    thumbs_down: int
    answered_share: float | None = Field(description="Of answered and abstained, 0..1; null where there was none.")


class DayQualityOut(Model):
    day: date
    turns: int
    answered: int = Field(description="By an answer that was sure of itself.")
    abstained: int = Field(description="Nothing was found, or too little.")
    handed_over: int = Field(description="To a person whom the visitor asked for.")
    failed: int
    thumbs_up: int
    thumbs_down: int
    first_token_p50: int | None = Field(description="Milliseconds.")
    first_token_p95: int | None = Field(description="Milliseconds.")


class CitedPageOut(Model):
    url: str
    title: str
    citations: int


class UncitedPageOut(Model):
    url: str
    title: str


class QualityOut(Model):
    days: tuple[DayQualityOut, ...] = Field(description="UTC, oldest first, today last.")
    top_pages: tuple[CitedPageOut, ...] = Field(description=f"Most cited first, {LISTED} at most.")
    never_cited: tuple[UncitedPageOut, ...] = Field(description=f"Live pages that no answer named, {LISTED} at most.")
    never_cited_count: int
    live_pages: int


class ThresholdPointOut(Model):
    threshold: float
    answered: float | None = Field(description="The share of turns that would be answered, 0..1.")
    golden_right: float | None = Field(description="The share of golden questions that would go right, 0..1.")


class ThresholdCurveOut(Model):
    days: int
    turns: int = Field(description=f"The latest of these days, {MAX_TURNS} at most.")
    golden_questions: int
    golden_run_id: UUID | None = Field(description="The latest run that asked the draft; null: there is none.")
    current: float = Field(description="The draft's threshold.")
    points: tuple[ThresholdPointOut, ...] = Field(description="By rising threshold, 0 to 1.")


class AdminQuality(Api):
    tag = TAG

    def __init__(self, review: QualityReview, curves: ThresholdCurves) -> None:
        self._review = review
        self._curves = curves

    @get(
        "/v1/agents/{agent_id}/quality",
        "Get how well an agent answers, day by day, and which pages it answers from",
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
