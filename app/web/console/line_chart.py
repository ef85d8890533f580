"""Positions of a chart's lines: days or shares from left to right, numbers from zero up.

Horizontal values are percentages of the width, so that a chart is as wide as its card; vertical ones are pixels.
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
    """`grid` are (y, number); `first` and `last` are the labels at both ends."""

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
    """The interpolated position of a value."""
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
