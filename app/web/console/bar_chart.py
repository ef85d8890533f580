"""Positions of a chart's bars: places from left to right, numbers from zero up, several bars stacked.

Horizontal values are percentages of the width, vertical ones pixels, as in a line chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.web.console.line_chart import BOTTOM, HEIGHT, TOP, WIDTH, round_up

_WIDEST: Final = 6
_SHARE: Final = 0.72  # of a place, for its bar
_MOST_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class Bars:
    """One value per place, each at least 0."""

    label: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """`kind` counts from 1, in the order in which the bars were given."""

    kind: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its full height from `x` on; `words` describe its values. `name` is below `middle`, if it has one; a
    spare name is only shown if there is much room."""

    x: float
    middle: float
    words: str
    name: str
    is_spare: bool


@dataclass(frozen=True, slots=True)
class BarChart:
    """`grid` are (y, number); `first` and `last` are the names at both ends."""

    bars: tuple[DrawnBar, ...]
    places: tuple[Place, ...]
    labels: tuple[str, ...]
    grid: tuple[tuple[float, int], ...]
    first: str
    last: str
    place_width: float
    height: int = HEIGHT
    top: int = TOP
    bottom: int = BOTTOM


def bar_chart(names: Sequence[str], *bars: Bars) -> BarChart:
    """A place for each of the names, of which there is at least one; names are shown as far as there is room."""
    sums = [sum(values) for values in zip(*(each.values for each in bars), strict=True)]
    top = round_up(max(1, *sums))
    high = BOTTOM - TOP
    wide = WIDTH / len(names)
    width = min(wide * _SHARE, _WIDEST)
    drawn: list[DrawnBar] = []
    places: list[Place] = []
    every = -(-len(names) // _MOST_NAMES)
    for number, name in enumerate(names):
        middle = (number + 0.5) * wide
        level = 0
        for kind, each in enumerate(bars, start=1):
            value = each.values[number]
            if value:
                tall = high * value / top
                y = TOP + high * (1 - (level + value) / top)
                drawn.append(DrawnBar(kind, _round(middle - width / 2), _round(y), _round(width), _round(tall)))
            level += value
        said = ", ".join(f"{each.values[number]:,} {each.label}" for each in bars)
        shown = name if number % every == 0 else ""
        is_spare = number // every % 2 == 1
        places.append(Place(_round(middle - wide / 2), _round(middle), f"{name}: {said}", shown, is_spare))
    return BarChart(
        tuple(drawn),
        tuple(places),
        tuple(each.label for each in bars),
        tuple((_round(TOP + high * (1 - number / top)), number) for number in sorted({0, top // 2, top})),
        names[0],
        names[-1],
        _round(wide),
    )


def _round(number: float) -> float:
    return round(number, 2)
