"""A week of an agent's gaps, as a digest for its webhooks."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from app.kit.clock import begin_of
from app.quality.quality import DayQuality

WEEKLY: Final = "gaps.weekly"  # kind of outbox row
LISTED: Final = 10  # gaps in each list
_LISTS: Final = ("new", "answered", "reopened")


@dataclass(frozen=True, slots=True)
class Week:
    """Monday to Sunday, in UTC, identified by its Monday."""

    monday: date

    @property
    def since(self) -> datetime:
        return begin_of(self.monday)

    @property
    def until(self) -> datetime:
        """The exclusive end: the next Monday, 00:00 UTC."""
        return self.since + timedelta(days=7)

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(self.monday + timedelta(days=number) for number in range(7))

    @property
    def before(self) -> "Week":
        return Week(self.monday - timedelta(days=7))


@dataclass(frozen=True, slots=True)
class GapTally:
    """The number of gaps, and the first LISTED of them, most frequent first."""

    count: int
    gap_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class BigGap:
    """An open gap with figures from `GapFacts`."""

    id: UUID
    count: int
    visitors: int
    impact: int


@dataclass(frozen=True, slots=True)
class TurnShares:
    """Shares of ended turns in [0, 1]: `answered` with enough confidence, or `abstained`. Both are None if `turns` is
    0. Turns that ask for a person do not count."""

    turns: int
    answered: float | None
    abstained: float | None


@dataclass(frozen=True, slots=True)
class GapDigest:
    """The digest of one week: gaps that were first asked (`new`), closed with proof (`answered`), or reopened by a
    visitor or an operator. `biggest` are the open gaps of greatest impact when the digest was made, at most LISTED."""

    week: Week
    turns: TurnShares
    turns_before: TurnShares
    new: GapTally
    answered: GapTally
    reopened: GapTally
    biggest: tuple[BigGap, ...]

    @property
    def figures(self) -> dict[str, Any]:
        """The digest as JSON-ready figures and ids, without questions."""
        tallies = (self.new, self.answered, self.reopened)
        return {
            "week": {"first_day": self.week.days[0].isoformat(), "last_day": self.week.days[-1].isoformat()},
            "turns": asdict(self.turns),
            "turns_before": asdict(self.turns_before),
            **{
                name: {"count": tally.count, "gaps": [{"gap_id": str(gap_id)} for gap_id in tally.gap_ids]}
                for name, tally in zip(_LISTS, tallies, strict=True)
            },
            "biggest": [
                {"gap_id": str(gap.id), "count": gap.count, "visitors": gap.visitors, "impact": gap.impact}
                for gap in self.biggest
            ],
        }


def last_week(now: datetime) -> Week:
    """The latest complete week."""
    today = now.astimezone(UTC).date()
    return Week(today - timedelta(days=today.weekday())).before


def turn_shares(days: Iterable[DayQuality]) -> TurnShares:
    counted = list(days)
    turns = sum(day.turns - day.handed_over for day in counted)
    if not turns:
        return TurnShares(0, None, None)
    answered, abstained = sum(day.answered for day in counted), sum(day.abstained for day in counted)
    return TurnShares(turns, round(answered / turns, 4), round(abstained / turns, 4))


def gap_ids_in(figures: Mapping[str, Any]) -> set[UUID]:
    lists = [*(figures[name]["gaps"] for name in _LISTS), figures["biggest"]]
    return {UUID(gap["gap_id"]) for gaps in lists for gap in gaps}


def in_words(figures: Mapping[str, Any], questions: Mapping[UUID, str]) -> dict[str, Any]:
    """The figures with the questions of the gaps, by id. Gaps without a question are left out, because they were erased
    meanwhile."""

    def worded(gaps: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        ids = [(gap, UUID(gap["gap_id"])) for gap in gaps]
        return [
            {"gap_id": gap["gap_id"], "question": questions[gap_id], **gap}
            for gap, gap_id in ids
            if gap_id in questions
        ]

    lists = {name: {**figures[name], "gaps": worded(figures[name]["gaps"])} for name in _LISTS}
    return {**figures, **lists, "biggest": worded(figures["biggest"])}
