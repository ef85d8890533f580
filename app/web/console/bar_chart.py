"""Where the bars of a chart stand: places from left to right, numbers from zero up, several bars on one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.web.console.line_chart import HEIGHT, WIDTH, round_up

_LEFT: Final = 44
_TOP: Final = 10
_BOTTOM: Final = 24
_RIGHT: Final = 8
_WIDEST: Final = 28
_SHARE: Final = 0.72  # of a place that its bar takes
_MOST_NAMES: Final = 8


@dataclass(frozen=True, slots=True)
class Bars:
    """One value a place, each at least 0."""

    label: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """`kind` counts from 1, by the order in which the bars were given."""

    kind: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
    """The whole height from `x` on; `words` say what stands there. `name` stands under `middle`, where it has one."""

    x: float
    middle: float
    words: str
    name: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """`grid` are (y, number); `first` and `last` name the places at both ends."""

    bars: tuple[DrawnBar, ...]
    places: tuple[Place, ...]
    labels: tuple[str, ...]
    grid: tuple[tuple[float, int], ...]
    first: str
    last: str
    place_width: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM
    right: int = WIDTH - _RIGHT


def bar_chart(names: Sequence[str], *bars: Bars) -> BarChart:
    """A place for each name, of which there is one at least; those names are shown that there is room for."""
    sums = [sum(values) for values in zip(*(each.values for each in bars), strict=True)]
    top = round_up(max(1, *sums))
    high = HEIGHT - _TOP - _BOTTOM
    wide = (WIDTH - _LEFT - _RIGHT) / len(names)
    width = min(wide * _SHARE, _WIDEST)
    drawn: list[DrawnBar] = []
    places: list[Place] = []
    every = -(-len(names) // _MOST_NAMES)
    for number, name in enumerate(names):
        middle = _LEFT + (number + 0.5) * wide
        level = 0
        for kind, each in enumerate(bars, start=1):
            value = each.values[number]
            if value:
                tall = high * value / top
                y = _TOP + high * (1 - (level + value) / top)
                drawn.append(DrawnBar(kind, _round(middle - width / 2), _round(y), _round(width), _round(tall)))
            level += value
        said = ", ".join(f"{each.values[number]:,} {each.label}" for each in bars)
        shown = name if number % every == 0 else ""
        places.append(Place(_round(middle - wide / 2), _round(middle), f"{name}: {said}", shown))
    return BarChart(
        tuple(drawn),
        tuple(places),
        tuple(each.label for each in bars),
        tuple((_round(_TOP + high * (1 - number / top)), number) for number in sorted({0, top // 2, top})),
        names[0],
        names[-1],
        _round(wide),
    )


def _round(number: float) -> float:
    return round(number, 1)
