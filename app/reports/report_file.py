"""A report as a table for a spreadsheet, one row for each of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Final

from app.core.delimited_text import as_cell
from app.quality.quality import TurnCounts
from app.reports.report import Figures, Report, Spent, Step

# Names of `part`: whole, before, step, hour, weekday, language, page, topic, agent.
COLUMNS: Final = (
    "part",
    "name",
    "first_day",
    "last_day",
    "questions",
    "answered",
    "not_answered",
    "failed",
    "handed_over",
    "thumbs_up",
    "thumbs_down",
    "by_curated_answers",
    "conversations",
    "visitors",
    "first_word_p50_ms",
    "first_word_p95_ms",
    "model_calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost",
    "chats_thumbs_up",
    "chats_thumbs_down",
)
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NOTHING: Final = ("",) * 5  # curated, conversations, visitors, first words


def rows(report: Report) -> Iterator[Sequence[str]]:
    """Values in the order of COLUMNS; unknown ones are empty."""
    for name, days, figures in (("whole", report.days, report.now), ("before", report.days.before, report.before)):
        yield name, days.zone.key, str(days.first), str(days.last), *_figures(figures)
    for step in report.steps:
        yield "step", "", str(step.days.first), str(step.days.last), *_step(step)
    for hour, counts in enumerate(report.hours):
        yield _part("hour", f"{hour:02}:00", counts)
    for day, counts in zip(WEEKDAYS, report.weekdays, strict=True):
        yield _part("weekday", day, counts)
    for kind, parts in (("language", report.languages), ("page", report.pages)):
        for part in parts:
            yield _part(kind, as_cell(part.key), part.counts)
    for topic in report.topics:
        yield _part("topic", as_cell(topic.question), topic.counts)
    for agent in report.agents:
        yield _part("agent", as_cell(agent.name), agent.counts)


def _figures(figures: Figures) -> tuple[str, ...]:
    shown = figures.curated, figures.conversations, figures.visitors, figures.first_word_p50, figures.first_word_p95
    chats = str(figures.chats.up), str(figures.chats.down)
    return *_counts(figures.counts), *map(_cell, shown), *_spent(figures.spent), *chats


def _step(step: Step) -> tuple[str, ...]:
    times = _cell(step.first_word_p50), _cell(step.first_word_p95)
    return *_counts(step.counts), "", "", "", *times, *_spent(step.spent), "", ""


def _part(kind: str, name: str, counts: TurnCounts) -> tuple[str, ...]:
    return kind, name, "", "", *_counts(counts), *_NOTHING, *("",) * 7


def _counts(counts: TurnCounts) -> tuple[str, ...]:
    return tuple(map(str, astuple(counts)))  # its fields are in the order of COLUMNS


def _spent(spent: Spent) -> tuple[str, ...]:
    usage = spent.usage
    shown = spent.calls, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, spent.cost
    return tuple(map(_cell, shown))


def _cell(value: float | None) -> str:
    return "" if value is None else str(value)
