"""Where the lines of a chart run: days from left to right, numbers from zero up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 180
_LEFT, _TOP, _BOTTOM = 44, 10, 24
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Line:
    """One value a day; None where there is none, and the line breaks."""

    label: str
    values: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """`paths` are SVG path data, one for each stretch without a hole; `dots` stand where a stretch is one day."""

    label: str
    paths: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    total: int


@dataclass(frozen=True, slots=True)
class LineChart:
    """`grid` are (y, number); `first` and `last` the days at both ends."""

    lines: tuple[DrawnLine, ...]
    grid: tuple[tuple[float, int], ...]
    first: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT


def line_chart(days: Sequence[date], *lines: Line) -> LineChart:
    """`days` holds at least one."""
    most = max((value for line in lines for value in line.values if value is not None), default=0)
    top = _round_up(max(most, 1))
    high = HEIGHT - _TOP - _BOTTOM
    wide = (WIDTH - _LEFT - 8) / max(len(days) - 1, 1)

    def at(place: int, value: float) -> tuple[float, float]:
        return round(_LEFT + place * wide, 1), round(_TOP + high * (1 - value / top), 1)

    return LineChart(
        tuple(_drawn(line, at) for line in lines),
        tuple((at(0, number)[1], number) for number in sorted({0, top // 2, top})),
        days[0],
        days[-1],
    )


def _drawn(line: Line, at: Callable[[int, float], tuple[float, float]]) -> DrawnLine:
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


def _round_up(number: int) -> int:
    """To 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power >= number:
                return step * power
        power *= 10
