"""Computes the positions of a chart's lines and stacked bars, with numbers upwards from zero.

Horizontal positions are percentages of the width, so that a chart is as wide as its card; vertical ones are pixels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

WIDTH: Final = 100
HEIGHT: Final = 180
TOP: Final = 10
BOTTOM: Final = HEIGHT - 24
_ROW = 20
_STEPS = (1, 2, 4, 6, 8)


@dataclass(frozen=True, slots=True)
class Line:
    """One value per place; None is a gap in the line."""

    label: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """`paths` are SVG path data in a box of WIDTH and HEIGHT, one for each stretch without a gap; `dots` are stretches
    of a single day."""

    label: str
    paths: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    total: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line at `x`, with a label in a separate row: after the line, or before it with `is_before`."""

    x: float
    y: float
    words: str
    is_before: bool


@dataclass(frozen=True, slots=True)
class LineChart:
    """`grid` has (y, number) for each grid line; `first` and `last` are the labels at both ends."""

    lines: tuple[DrawnLine, ...]
    grid: tuple[tuple[float, int], ...]
    first: str
    last: str
    marks: tuple[Mark, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    bottom: int = BOTTOM


def line_chart(days: Sequence[date], *lines: Line) -> LineChart:
    """`days` has at least one element."""
    most = max((value for line in lines for value in line.values if value is not None), default=0)
    top = round_up(max(most, 1))
    at = _scale(len(days), top)
    return LineChart(
        tuple(_drawn(line, at) for line in lines),
        tuple((at(0, number)[1], number) for number in sorted({0, top // 2, top})),
        days[0].isoformat(),
        days[-1].isoformat(),
    )


def share_chart(*lines: Line, marks: Sequence[tuple[float, str]] = ()) -> LineChart:
    """Percentages over shares from 0 to 1; the values of each line are evenly spaced. `marks` are (share, words)."""
    at = _scale(len(lines[0].values), 100)
    ends = len(lines[0].values) - 1
    return LineChart(
        tuple(_drawn(line, at) for line in lines),
        tuple((at(0, number)[1], number) for number in (0, 50, 100)),
        "0%",
        "100%",
        tuple(_mark(at(share * ends, 0)[0], row, words) for row, (share, words) in enumerate(marks, start=1)),
    )


def _mark(x: float, row: int, words: str) -> Mark:
    return Mark(x, TOP + row * _ROW, words, is_before=x > WIDTH * 0.75)


def _scale(places: int, top: float) -> Callable[[float, float], tuple[float, float]]:
    """A function that returns the position (x, y) of a value at a place."""
    wide = WIDTH / max(places - 1, 1)

    def at(place: float, value: float) -> tuple[float, float]:
        return round(place * wide, 2), round(TOP + (BOTTOM - TOP) * (1 - value / top), 1)

    return at


def _drawn(line: Line, at: Callable[[float, float], tuple[float, float]]) -> DrawnLine:
    stretches: list[list[tuple[float, float]]] = [[]]
    for place, value in enumerate(line.values):
        if value is None:
            stretches.append([])
        else:
            stretches[-1].append(at(place, value))
    paths = [
        "M" + " L".join(f"{across} {down}" for across, down in stretch) for stretch in stretches if len(stretch) > 1
    ]
    dots = [stretch[0] for stretch in stretches if len(stretch) == 1]
    return DrawnLine(line.label, tuple(paths), tuple(dots), sum(value or 0 for value in line.values))


def round_up(number: float) -> int:
    """Round up to 1, 2, 4, 6 or 8 times a power of ten, so that half of it is an integer if it is more than 1."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power >= number:
                return step * power
        power *= 10


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
    """A column of the chart, as high as the chart, from `x` on. `words` describe its values. `name` is shown below
    `middle`; a spare name only if there is much room."""

    x: float
    middle: float
    words: str
    name: str
    is_spare: bool


@dataclass(frozen=True, slots=True)
class BarChart:
    """`grid` has (y, number) for each grid line; `first` and `last` are the names at both ends."""

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
    """A chart with a place for each of `names` (at least one), which are shown as far as there is room."""
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
        figures = ", ".join(f"{each.values[number]:,} {each.label}" for each in bars)
        shown = name if number % every == 0 else ""
        is_spare = number // every % 2 == 1
        places.append(Place(_round(middle - wide / 2), _round(middle), f"{name}: {figures}", shown, is_spare))
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
