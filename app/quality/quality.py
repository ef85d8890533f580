"""An agent's quality by day, and the pages that it answers from."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date
from operator import attrgetter
from typing import Annotated, Final


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """The outcomes of turns in some period. Of `turns`, which have ended, `failed` ended with an error or with the
    process. `handed_over` counts the question before a visitor asked for a person, in words or by the button, which has
    no other outcome; such a wish before any question counts as a question."""

    turns: int = 0
    answered: Annotated[int, "With an answer of sufficient confidence."] = 0
    abstained: Annotated[int, "Nothing, or too little, was found."] = 0
    failed: int = 0
    handed_over: Annotated[int, "Conversations in which a person was asked for."] = 0
    thumbs_up: int = 0
    thumbs_down: int = 0

    @property
    def answered_share(
        self,
    ) -> Annotated[
        float | None, "The share of answered turns among answered and abstained, 0 to 1; null if there were none."
    ]:
        return _share(self.answered, self.abstained)

    @property
    def unaided_share(
        self,
    ) -> Annotated[
        float | None,
        "The share answered without a person among answered, abstained and handed over, 0 to 1; null if "
        "there were none.",
    ]:
        return _share(self.answered, self.abstained + self.handed_over)

    @property
    def satisfaction(
        self,
    ) -> Annotated[
        float | None,
        "The share of thumbs up among all thumbs, by which visitors say whether it was solved, 0 to 1; null "
        "if there were none.",
    ]:
        return _share(self.thumbs_up, self.thumbs_down)


_FIGURES: Final = attrgetter(*(figure.name for figure in fields(TurnCounts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DayQuality(TurnCounts):
    """One day (UTC). Times to the first token are in milliseconds; None without any."""

    day: date
    first_token_p50: Annotated[int | None, "In milliseconds."] = None
    first_token_p95: Annotated[int | None, "In milliseconds."] = None

    @classmethod
    def from_counts(cls, day: date, counts: TurnCounts, p50: int | None, p95: int | None) -> "DayQuality":
        return cls(*_FIGURES(counts), day=day, first_token_p50=p50, first_token_p95=p95)


@dataclass(frozen=True, slots=True)
class PageCitations:
    """A page, and how many citations are of it or one of its sections."""

    url: str
    title: str
    citations: int = 0


def _share(some: int, others: int) -> float | None:
    return some / (some + others) if some + others else None


def total(counts: Iterable[TurnCounts]) -> TurnCounts:
    return TurnCounts(*map(sum, zip(*map(_FIGURES, counts), strict=True)))


LISTED: Final = 20  # pages, both most cited and never cited


@dataclass(frozen=True, slots=True)
class Quality:
    """`never_cited` are the first of `never_cited_count` pages, of `live_pages`."""

    days: Annotated[tuple[DayQuality, ...], "UTC, oldest first, today last."]
    top_pages: Annotated[tuple[PageCitations, ...], f"Most cited first, at most {LISTED}."]
    never_cited: Annotated[tuple[PageCitations, ...], f"Live pages that no answer cites, at most {LISTED}."]
    never_cited_count: int
    live_pages: int
