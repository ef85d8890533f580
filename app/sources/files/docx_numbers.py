"""The numbers of a DOCX file's headings ("2.1 Costs"), which the file keeps as rules and word processors count."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE: Final = f"{W}val"
_LEVELS: Final = 9
_MOST_ABOVE: Final = 20  # styles that a style is based on


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    kind: str  # such as "decimal"
    text: str  # such as "%1.%2."


class HeadingNumbers:
    """`numbering` and `styles` are the roots of these parts, where the file has them."""

    def __init__(self, numbering: Element | None, styles: Element | None) -> None:
        self._lists = _lists(numbering) if numbering is not None else {}
        found = styles.iterfind(f"{W}style") if styles is not None else ()
        self._styles = {style.get(f"{W}styleId", ""): style for style in found}
        self._counts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * _LEVELS)

    def number(self, paragraph: Element) -> str:
        """The number as it is displayed, "" for a paragraph that is no heading or has none; call it on all paragraphs
        in order."""
        rules = list(self._rules(paragraph))
        number = _first(rules, f"{W}numPr/{W}numId")
        levels = self._lists.get(number)
        if levels is None:
            return ""
        at = int(_first(rules, f"{W}numPr/{W}ilvl") or 0)
        if at not in levels:
            return ""
        counts = self._counts[id(levels)]  # lists of one kind count on
        for above in range(at):
            counts[above] = counts[above] or (levels[above].start if above in levels else 1)
        counts[at] = counts[at] + 1 if counts[at] else levels[at].start
        counts[at + 1 :] = [0] * (_LEVELS - at - 1)
        is_heading = (_first(rules, f"{W}outlineLvl") or "9") != "9"
        return _written(levels, at, counts) if is_heading else ""

    def _rules(self, paragraph: Element) -> Iterator[Element]:
        """The properties that hold for a paragraph, its own first, then those of its style and of those above."""
        own = paragraph.find(f"{W}pPr")
        if own is None:
            return
        yield own
        style = own.find(f"{W}pStyle")
        for _ in range(_MOST_ABOVE):
            found = self._styles.get(style.get(_VALUE, "")) if style is not None else None
            if found is None:
                return
            if (rules := found.find(f"{W}pPr")) is not None:
                yield rules
            style = found.find(f"{W}basedOn")


def _lists(numbering: Element) -> dict[str, Mapping[int, _Level]]:
    """The levels of each numbered list, by its id."""
    kinds = {each.get(f"{W}abstractNumId", ""): _levels(each) for each in numbering.iterfind(f"{W}abstractNum")}
    return {
        each.get(f"{W}numId", ""): kinds.get(_value(each, f"{W}abstractNumId"), {})
        for each in numbering.iterfind(f"{W}num")
    }


def _levels(kind: Element) -> dict[int, _Level]:
    return {
        int(level.get(f"{W}ilvl", "0")): _Level(
            int(_value(level, f"{W}start") or 1), _value(level, f"{W}numFmt"), _value(level, f"{W}lvlText")
        )
        for level in kind.iterfind(f"{W}lvl")
    }


def _first(rules: list[Element], path: str) -> str:
    return next((value for each in rules if (value := _value(each, path))), "")


def _value(above: Element, path: str) -> str:
    found = above.find(path)
    return found.get(_VALUE, "") if found is not None else ""


def _written(levels: Mapping[int, _Level], at: int, counts: list[int]) -> str:
    """ "" for a kind that is not known, such as Roman numerals."""
    text = levels[at].text
    for place, level in sorted(levels.items())[: at + 1]:
        if f"%{place + 1}" in text:
            if level.kind not in _KINDS or (counts[place] > _MOST_LETTERS and level.kind != "decimal"):
                return ""
            text = text.replace(f"%{place + 1}", _KINDS[level.kind](counts[place]))
    return text.strip()


_MOST_LETTERS: Final = 26
_KINDS: Final[Mapping[str, Callable[[int], str]]] = {
    "decimal": str,
    "upperLetter": lambda number: chr(ord("A") + number - 1),
    "lowerLetter": lambda number: chr(ord("a") + number - 1),
}
