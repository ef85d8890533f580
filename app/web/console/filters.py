"""The filters of the templates, which format values."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from markupsafe import Markup, escape

from app.core.turn import AnsweredBy, Citation

_STEPS = ((timedelta(days=365), "year"), (timedelta(days=30), "month"), (timedelta(days=7), "week"))
_FINE_STEPS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def ago(then: datetime, now: datetime) -> str:
    """The time since then, such as "3 days ago"."""
    passed = now - then
    for length, name in (*_STEPS, *_FINE_STEPS):
        count = passed // length
        if count >= 1:
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now" if passed >= timedelta(0) else moment(then)


def moment(then: datetime) -> str:
    return f"{then:%Y-%m-%d %H:%M} UTC"


def day(then: datetime) -> str:
    return f"{then:%Y-%m-%d}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def in_percent(share: float) -> str:
    """A share as the value of a form's field in percent, with all digits."""
    return f"{share * 100:.10g}"


def number(value: float | None) -> str:
    """The number with thousands separators and without insignificant digits."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def size(count_of_bytes: int) -> str:
    """A size such as "20 MiB" or "1.5 KiB"."""
    for unit, length in (("MiB", 1024**2), ("KiB", 1024)):
        if count_of_bytes >= length:
            return f"{count_of_bytes / length:.3g} {unit}"
    return plural(count_of_bytes, "byte")


def words(name: str) -> str:
    """A code such as "low_confidence" in words."""
    return name.replace("_", " ")


WRITERS: Final = {
    AnsweredBy.CURATED: "Curated answer",
    AnsweredBy.MODEL: "Chat model",
    AnsweredBy.EXTRACTIVE: "Quoted from pages",
    AnsweredBy.FALLBACK: "Found nothing",
    AnsweredBy.HANDOFF: "Handed over",
    AnsweredBy.SMALL_TALK: "Small talk",
    AnsweredBy.CLARIFICATION: "Asked back",
}


def plural(count: int, one: str, many: str = "") -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


# Letters that look like blanks, and joiners, besides the Unicode categories that are invisible.
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_LINES: Final = frozenset("\n\t")


def revealed(text: str) -> list[tuple[str, str]]:
    """The text in parts: (visible text, ""), or for each invisible character ("U+200B", its name in Unicode)."""
    parts: list[tuple[str, str]] = []
    for is_unseen, signs in groupby(text, _is_unseen):
        if is_unseen:
            parts += [(f"U+{ord(sign):04X}", unicodedata.name(sign, "no character")) for sign in signs]
        else:
            parts.append(("".join(signs), ""))
    return parts


def _is_unseen(sign: str) -> bool:
    is_selector = "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"
    return sign not in _LINES and (is_selector or sign in _UNSEEN or unicodedata.category(sign) in _UNSEEN_KINDS)


def excerpt(markdown: str) -> str:
    from app.kit.markdown_html import markdown_excerpt  # only some pages need it

    return markdown_excerpt(markdown)


def drawn(markdown: str, citations: Iterable[Citation] = ()) -> str:
    from app.kit.markdown_html import markdown_html

    return markdown_html(markdown, {each.id for each in citations})


_ROW_OR_CELL: Final = re.compile(r"<(tr|td|th)\b")


def labelled(rows: str, heads: Sequence[str]) -> Markup:
    """A table's rows with a label on each cell, for narrow screens on which rows are cards. Roles are explicit, because
    some browsers drop them when a table is styled differently."""
    at = iter(heads)

    def marked(found: re.Match[str]) -> str:
        nonlocal at
        if found[1] == "tr":
            at = iter(heads)
            return '<tr role="row"'
        head = next(at, "")
        if found[1] == "th":
            return '<th role="rowheader"'
        label = head.lstrip(">")
        return f'<td role="cell" data-label="{escape(label)}"' if label else '<td role="cell"'

    return Markup(_ROW_OR_CELL.sub(marked, rows))  # noqa: S704 (rows are a template's own markup)


FILTERS: dict[str, Callable[..., object]] = {
    "moment": moment,
    "day": day,
    "percent": percent,
    "in_percent": in_percent,
    "excerpt": excerpt,
    "markdown": drawn,
    "number": number,
    "words": words,
    "writer": WRITERS.__getitem__,
    "plural": plural,
    "size": size,
    "labelled": labelled,
    "revealed": revealed,
}
