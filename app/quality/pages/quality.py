"""The console's page on quality: charts drawn by the server, each with its numbers as a table."""

from typing import Literal

from app.conversations.token_budgets import TokenBudgets
from app.quality.quality import total
from app.quality.quality_review import QualityReview
from app.web.console.line_chart import Line, line_chart
from app.web.console.page import Form, MenuEntry, Pages, Shown, Visit, page, read

_RANGES = ("7", "30", "90")


class QualityWanted(Form):
    days: Literal["7", "30", "90"] = "30"


class QualityPages(Pages):
    def __init__(self, review: QualityReview, budgets: TokenBudgets) -> None:
        self._review = review
        self._budgets = budgets

    @page("/console/agents/{agent_id}/quality", access=read, menu=MenuEntry("Quality", 55, "chart"))
    async def quality(self, visit: Visit[QualityWanted]) -> Shown:
        wanted = visit.input.days
        quality = await self._review.of(visit.actor, visit.agent.id, int(wanted))
        days = quality.days
        counts = total(days)
        charts = (
            (
                "Questions",
                line_chart(
                    [day.day for day in days],
                    Line("answered", [day.answered for day in days]),
                    Line("not answered", [day.abstained for day in days]),
                ),
            ),
            (
                "First word, in milliseconds",
                line_chart(
                    [day.day for day in days],
                    Line("p50: half of the answers", [day.first_token_p50 for day in days]),
                    Line("p95: 95% of the answers", [day.first_token_p95 for day in days]),
                ),
            ),
            (
                "Thumbs",
                line_chart(
                    [day.day for day in days],
                    Line("up", [day.thumbs_up for day in days]),
                    Line("down", [day.thumbs_down for day in days]),
                ),
            ),
        )
        return Shown(
            "quality/pages/quality.html",
            {
                "quality": quality,
                "threshold": visit.agent.draft.confidence_threshold,
                "turns": counts.turns,
                "months": await self._budgets.months(visit.actor, visit.agent.id),
                "answered_share": counts.answered_share,
                "charts": charts,
                "ranges": [(f"{each} days", visit.url("quality", {"days": each}), each == wanted) for each in _RANGES],
            },
        )
