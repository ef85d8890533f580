"""Console pages of reports: figures, charts drawn by the server, and a file to download."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Final, Literal
from uuid import UUID

from starlette.responses import Response

from app.core.errors import InvalidInput
from app.core.field_rules import zone_named
from app.core.text.language_names import language_name
from app.quality.quality import TurnCounts
from app.quality.quality_review import QualityReview
from app.reports.api import report_file
from app.reports.report import LISTED, MOST_AGENTS, PAGES_OF_TURNS, Figures, Report
from app.reports.report_days import ZONE
from app.reports.report_file import WEEKDAYS
from app.reports.reports import Reports
from app.web.console.charts import BarChart, Bars, Line, bar_chart, line_chart
from app.web.console.filters import number, percent, plural
from app.web.console.page import Form, MenuEntry, Pages, Rejected, Shown, Visit, page, read

_RANGES: Final = (7, 28, 90, 365)
_UTC: Final = "UTC"
_OWN: Final = "own"  # a placeholder that the browser replaces by its own time zone


class ReportWanted(Form):
    """`agent` is None for all agents."""

    agent: UUID | None = None
    first: date | None = None
    last: date | None = None
    zone: Annotated[str, ZONE] = _UTC


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure with a `note` that explains it and its value in the days `before`. `only` is the filter for the
    conversations that it counts, None if no list can show them."""

    name: str
    figure: str
    note: str
    before: str
    only: Mapping[str, str] | None = None


class ReportPages(Pages):
    _reports: Reports

    @page("/console/report", access=read, menu=MenuEntry("Reports", "Work", 5, "report"))
    async def report(self, visit: Visit[ReportWanted]) -> Shown:
        wanted, refused = visit.input, None
        try:
            report = await self._of(visit, wanted)
        except InvalidInput as error:
            refused = _refused(wanted, error)
            wanted = ReportWanted(agent=wanted.agent)
            report = await self._of(visit, wanted)
        days = report.days
        kept = {"agent": wanted.agent, "zone": None if days.zone.key == _UTC else days.zone.key}
        return Shown(
            "reports/report.html",
            {
                "report": report,
                "agent_names": {each.agent_id: each.name for each in report.agents},
                "named": report.agents[0].name if wanted.agent else "All agents",
                "wanted": wanted,
                "address": {**kept, "first": days.first, "last": days.last},
                "own_zone": visit.url("report", {**kept, "first": wanted.first, "last": wanted.last, "zone": _OWN}),
                "ranges": list(_ranges(visit, report, kept)),
                "tiles": list(_tiles(report.now, report.before)),
                "charts": list(_charts(report)),
                "first_words": line_chart(
                    [step.days.first for step in report.steps],
                    Line("p50: half of the answers", [step.first_word_p50 for step in report.steps]),
                    Line("p95: 95% of the answers", [step.first_word_p95 for step in report.steps]),
                ),
                "weekdays": list(zip(WEEKDAYS, report.weekdays, strict=True)),
                "languages": [(language_name(each.key) or each.key, each.counts) for each in report.languages],
                "most": {"listed": LISTED, "agents": MOST_AGENTS, "pages": PAGES_OF_TURNS},
            },
            status=422 if refused else 200,
            form=refused,
        )

    @page("/console/report/export", access=read, under="report", is_file=True)
    async def export_report(self, visit: Visit[ReportWanted]) -> Response:
        return report_file(await self._of(visit, visit.input))

    async def _of(self, visit: Visit[ReportWanted], wanted: ReportWanted) -> Report:
        return await self._reports.report(visit.actor, zone_named(wanted.zone), wanted.first, wanted.last, wanted.agent)


class CitedWanted(Form):
    days: Literal["7", "30", "90"] = "30"


class CitedPages(Pages):
    """The pages that an agent's answers cite, and those that they do not."""

    _review: QualityReview

    @page("/console/agents/{agent_id}/quality", access=read, under="report")
    async def quality(self, visit: Visit[CitedWanted]) -> Shown:
        wanted = visit.input.days
        context = {
            "quality": await self._review.quality(visit.actor, visit.agent.id, int(wanted)),
            "threshold": visit.agent.draft.confidence_threshold,
            "ranges": [
                (f"{each} days", visit.url("quality", {"days": each}), each == wanted) for each in ("7", "30", "90")
            ],
        }
        return Shown("reports/cited_pages.html", context)


def _refused(wanted: ReportWanted, error: InvalidInput) -> Rejected:
    values = {name: (str(value),) for name, value in wanted if value is not None}
    return Rejected("report", values, {error.field: error.message})


def _ranges(visit: Visit[ReportWanted], report: Report, kept: Mapping[str, object]) -> Iterable[tuple[str, str, bool]]:
    """Tabs for ranges that end today or with last month, each as (label, URL, whether it is current)."""
    today = report.as_of.astimezone(report.days.zone).date()
    begin = today.replace(day=1)
    before = begin - timedelta(days=1)
    spans = [(f"{count} days", today - timedelta(days=count - 1), today) for count in _RANGES]
    spans.append(("This month", begin, today))
    spans.append(("Last month", before.replace(day=1), before))
    for label, first, last in spans:
        is_current = (first, last) == (report.days.first, report.days.last)
        yield label, visit.url("report", {**kept, "first": first, "last": last}), is_current


def _tiles(now: Figures, before: Figures) -> Iterable[Tile]:
    counts, then = now.counts, before.counts
    yield Tile(
        "Questions",
        number(counts.turns),
        f"in {plural(now.conversations, 'conversation')} of {plural(now.visitors, 'visitor')}",
        _count_before(counts.turns, then.turns),
        {},
    )
    yield Tile(
        "Answered without a person",
        percent(counts.unaided_share),
        f"{plural(counts.answered, 'question')}, {number(now.curated)} by curated answers",
        _share_before(counts.unaided_share, then.unaided_share),
        {"outcome": "answered"},
    )
    yield Tile(
        "Solved, say visitors",
        percent(counts.satisfaction),
        f"{number(counts.thumbs_up)} yes, {number(counts.thumbs_down)} no, of {plural(counts.turns, 'question')}",
        _share_before(counts.satisfaction, then.satisfaction),
        {"rating": "up"},
    )
    yield Tile(
        "Not answered",
        number(counts.abstained),
        f"{percent(counts.abstained / counts.turns if counts.turns else None)} of the questions",
        _count_before(counts.abstained, then.abstained),
        {"outcome": "unanswered"},
    )
    yield Tile(
        "Handed over",
        number(counts.handed_over),
        f"{percent(counts.handed_over / counts.turns if counts.turns else None)} of the questions",
        _count_before(counts.handed_over, then.handed_over),
        {"outcome": "handed_over"},
    )
    if counts.failed or then.failed:
        change = _count_before(counts.failed, then.failed)
        yield Tile("Failed", number(counts.failed), "", change, {"outcome": "failed"})
    rated, then_rated = now.chats, before.chats
    if rated.satisfaction is not None or then_rated.satisfaction is not None:
        yield Tile(
            "Satisfied with people",
            percent(rated.satisfaction),
            f"{number(rated.up)} thumbs up for live chats, {number(rated.down)} down",
            _share_before(rated.satisfaction, then_rated.satisfaction),
        )
    yield Tile(
        "First word",
        _seconds(now.first_word_p50),
        "" if now.first_word_p95 is None else f"half of the answers; 95% within {_seconds(now.first_word_p95)}",
        f"{_seconds(before.first_word_p50)} before",
    )
    spent, spent_before = now.spent, before.spent
    if spent.calls or spent_before.calls:
        tokens = f"{number(spent.usage.tokens)} tokens"
        if spent.cost is None:
            figure, change = number(spent.usage.tokens), _count_before(spent.usage.tokens, spent_before.usage.tokens)
            yield Tile("Tokens", figure, f"in {number(spent.calls)} answers and drafts", change)
        else:
            cost_before = f"{spent_before.cost or 0:,.2f} before"
            yield Tile(
                "Cost", f"{spent.cost:,.2f}", f"{tokens} in {number(spent.calls)} answers and drafts", cost_before
            )


def _count_before(now: int, before: int) -> str:
    change = f", {(now - before) / before:+.0%}" if before else ""
    return f"{number(before)} before{change}"


def _share_before(now: float | None, before: float | None) -> str:
    if now is None or before is None:
        return f"{percent(before)} before"
    return f"{percent(before)} before, {round(now * 100) - round(before * 100):+d} points"


def _seconds(milliseconds: int | None) -> str:
    if milliseconds is None:
        return "–"
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds} ms"


def _charts(report: Report) -> Iterable[tuple[str, BarChart]]:
    steps = report.steps
    by_day = "Questions by day" if report.days.count == len(steps) else "Questions by week"
    yield by_day, _outcomes([f"{step.days.first:%m-%d}" for step in steps], [step.counts for step in steps])
    yield "Hours of the day", _outcomes([f"{hour:02}" for hour in range(24)], report.hours)
    yield "Days of the week", _outcomes([name[:3] for name in WEEKDAYS], report.weekdays)


def _outcomes(names: Sequence[str], counts: Sequence[TurnCounts]) -> BarChart:
    kinds = [
        Bars("answered", [each.answered for each in counts]),
        Bars("not answered", [each.abstained for each in counts]),
        Bars("handed over", [each.handed_over for each in counts]),
        Bars("failed", [each.failed for each in counts]),
    ]
    return bar_chart(names, *kinds)
