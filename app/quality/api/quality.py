"""Admin API: how well an agent answers."""

from typing import Annotated

from pydantic import Field

from app.core.actor import Actor
from app.quality.quality import DayQuality, PageCitations, Quality, TurnCounts
from app.quality.quality_review import DAYS, MAX_DAYS, MAX_TURNS, QualityReview, ThresholdCurves
from app.search.threshold_curve import ThresholdCurve, ThresholdPoint
from app.web.operation import Api, Call, Model, get, read

TAG = "Quality"


class QualityQuery(Model):
    days: int = Field(default=30, ge=1, le=MAX_DAYS)


class TurnCountsOut(
    Model, shows=TurnCounts, fields="turns answered abstained failed handed_over thumbs_up thumbs_down answered_share"
): ...


class DayQualityOut(
    Model,
    shows=DayQuality,
    fields="day turns answered abstained handed_over failed thumbs_up thumbs_down first_token_p50 first_token_p95",
): ...


class CitedPageOut(Model, shows=PageCitations, fields="url title citations"): ...


class UncitedPageOut(Model, shows=PageCitations, fields="url title"): ...


class QualityOut(Model, shows=Quality, fields="days top_pages never_cited never_cited_count live_pages"):
    never_cited: tuple[UncitedPageOut, ...]


class ThresholdPointOut(Model, shows=ThresholdPoint, fields="threshold answered golden_right"): ...


class ThresholdCurveOut(Model, shows=ThresholdCurve, fields="days turns golden_questions golden_run_id current points"):
    turns: Annotated[int, f"The latest turns of these days, at most {MAX_TURNS}."]


class AdminQuality(Api):
    tag = TAG
    _review: QualityReview
    _curves: ThresholdCurves

    @get(
        "/v1/agents/{agent_id}/quality",
        "Get how well an agent answers, day by day, and which pages it cites",
        access=read,
    )
    async def get_quality(self, call: Call[Actor, QualityQuery]) -> QualityOut:
        return QualityOut.showing(await self._review.quality(call.caller, call.path_id("agent_id"), call.input.days))

    @get(
        "/v1/agents/{agent_id}/threshold-curve",
        f"Get what other confidence thresholds would have done in the last {DAYS} days",
        access=read,
    )
    async def get_threshold_curve(self, call: Call[Actor, None]) -> ThresholdCurveOut:
        return ThresholdCurveOut.showing(await self._curves.curve(call.caller, call.path_id("agent_id")))
