"""The curve of what a search costs, as SVG: both axes grow by powers of ten."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, Final

_WIDTH: Final = 640
_HEIGHT: Final = 300
_LEFT: Final = 60
_RIGHT: Final = 150
_TOP: Final = 36
_BOTTOM: Final = 40
_LABEL: Final = 14  # from one label to the next
_LINES: Final = (
    ("search", "whole search", "#3465a4"),
    ("vectors", "vectors", "#c17d11"),
    ("keywords", "keywords", "#4e9a06"),
)


def drawn(measured: Mapping[str, Any]) -> str:
    """Of what `bench.sizes` wrote: p95 of each part for one agent, over the number of its chunks."""
    least = min(size["vectors_memory_mib"] for size in measured["sizes"])
    as_it_comes = [size for size in measured["sizes"] if (size["agents"], size["vectors_memory_mib"]) == (1, least)]
    sizes = sorted(as_it_comes, key=lambda size: size["chunks"])
    chunks = [size["chunks"] for size in sizes]
    values = [size[name]["p95"] for size in sizes for name, _, _ in _LINES]
    across = _Scale(min(chunks), max(chunks), _LEFT, _WIDTH - _RIGHT)
    up = _Scale(min(values), max(values), _HEIGHT - _BOTTOM, _TOP)
    shapes = [
        f'<text x="{_LEFT}" y="20" font-weight="bold">p95 of a search in milliseconds, by chunks of the agent</text>',
        *(_across(across(value), f"{value:,.0f}") for value in _powers(min(chunks), max(chunks))),
        *(_down(up(value), f"{value:,g}") for value in _powers(min(values), max(values))),
    ]
    label_y = 0.0
    for name, words, colour in sorted(_LINES, key=lambda line: -sizes[-1][line[0]]["p95"]):
        points = [(across(size["chunks"]), up(size[name]["p95"])) for size in sizes]
        label_y = max(points[-1][1] + 4, label_y + _LABEL)
        shapes.append(_line(points, words, colour, label_y))
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
    )


class _Scale:
    """From a value to its place, by logarithms of whole powers of ten around `least` and `most`."""

    def __init__(self, least: float, most: float, begin: float, end: float) -> None:
        powers = _powers(least, most)
        self._low, self._high = log10(powers[0]), log10(powers[-1])
        self._begin, self._end = begin, end

    def __call__(self, value: float) -> float:
        share = (log10(value) - self._low) / ((self._high - self._low) or 1)
        return round(self._begin + share * (self._end - self._begin), 1)


def _powers(least: float, most: float) -> Sequence[float]:
    """The powers of ten from the one at or below `least` to the one at or above `most`."""
    power = 10.0 ** int(log10(least) // 1)
    found = [power]
    while found[-1] < most:
        found.append(found[-1] * 10)
    return found


def _across(x: float, words: str) -> str:
    bottom = _HEIGHT - _BOTTOM
    return (
        f'<path d="M{x} {_TOP} L{x} {bottom}" stroke="#ddd"/>'
        f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{words}</text>'
    )


def _down(y: float, words: str) -> str:
    return (
        f'<path d="M{_LEFT} {y} L{_WIDTH - _RIGHT} {y}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{words}</text>'
    )


def _line(points: Sequence[tuple[float, float]], words: str, colour: str, label_y: float) -> str:
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points)
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'
        f'<text x="{points[-1][0] + 8}" y="{label_y:.1f}" fill="{colour}">{words}</text>'
    )
