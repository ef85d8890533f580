"""The kind of a number is what it counts: money, a share, days, kilometres, things, or "" if unknown.

Words for units are in the table `units` of the language files; signs and abbreviations that languages share are here.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from app.core.text.languages import LANGUAGES, any_of, language_table
from app.core.text.stated_facts import every_spelling, spellings, stated_numbers
from app.core.text.words import is_spaceless

MONEY: Final = "money"
SHARE: Final = "share"
THINGS: Final = "things"
CLOCK: Final = "clock"
_UNKNOWN_KIND: Final = 0.8
_UNKNOWN_PRICE: Final = 0.5
_OTHER_THINGS: Final = 0.6  # "ages 8 to 11 learn" counts years

_SIGNS: Final = "€$£¥₹₽₩₺₴₪"
_SHARED: Final = {
    MONEY: f"{' '.join(_SIGNS)} chf gbp usd eur",
    SHARE: "%",
    "bytes": "kb mb gb tb kib mib gib tib byte bytes",
    "length": "mm cm m km",
    "mass": "mg g kg",
    "volume": "ml l",
    "degrees": "°c °f °",
    "volts": "v volt volts mv kv",
    "amperes": "ma ah mah",
    "watts": "w kw kwh wh watt watts",
    "frequency": "hz khz mhz ghz",
}
_MONEY_AHEAD: Final = re.compile(rf"(?:[{_SIGNS}]|\b(?:EUR|USD|GBP|CHF))[ \xa0−-]?$")
# Both numbers of "3 to 6 working days" count days; in "5-year warranty" a hyphen joins the unit.
_UNIT: Final = re.compile(
    r"(?:\s?(?:to|or|and|x|×|–|-|/)\s?\d[\d.,]{0,11}){0,3}"
    r"(?:\s|-|\xa0)?(?:(?:working|business|calendar|full|whole|more|further|extra|additional|opening|free|half)\s)?"
    rf"([%{_SIGNS}°]\w?|[^\W\d_]+)?"
)
# (unit, how many of the smaller unit it has, smaller unit)
_SAME_TIME: Final = (
    ("weeks", 7, "days"),
    ("years", 12, "months"),
    ("days", 24, "hours"),
    ("hours", 60, "minutes"),
    ("minutes", 60, "seconds"),
)
_RANGE: Final = re.compile(r"(?<![\w.,])(\d(?:[\d.,]{0,10}\d)?)\s?(?:to|–|-)\s?(\d(?:[\d.,]{0,10}\d)?)(?![\w])")
_AM_OR_PM: Final = re.compile(r"\s?([ap])\.?m\b")
_COUNTED_NEVER: Final = frozenset(
    """
    a an and as at away be before beyond but by can each every for from if in into is it its of off on once or over per
    pm am plus the then to until up upwards was when which while with without x
    """.split()  # noqa: SIM905 - reads better than a list
)


def number_kinds(text: str) -> dict[str, set[str]]:
    """The kinds of each number in the text, by every spelling of the number."""
    kinds: dict[str, set[str]] = {}
    for number, kind, _, _ in counted_numbers(text):
        for spelling in every_spelling(number):
            kinds.setdefault(spelling, set()).add(kind)
    return kinds


def counted_numbers(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(number, kind, start, end) of every number in the text."""
    for number, start, end in stated_numbers(text):
        yield number, _kind(text, start, end), start, end


def number_spellings(text: str, *, has_known_units: bool = True) -> dict[str, set[tuple[str, str]]]:
    """For each number in the text, the pairs (spelling, kind) under which a source may have it, including conversions
    to other units of time and between 12 and 24 hours. Without `has_known_units`, kinds are ""."""
    kinds: dict[str, set[tuple[str, str]]] = {}
    for number, start, end in stated_numbers(text):
        kind = _kind(text, start, end) if has_known_units else ""
        pairs = kinds.setdefault(number, set())
        for spelling in spellings(number):
            pairs.add((spelling, kind))
            pairs.update(_same_time(spelling, kind))
        pairs.update((spelling, CLOCK) for spelling in _same_hour(number, text, end))
    return kinds


def _same_time(spelling: str, kind: str) -> Iterator[tuple[str, str]]:
    if not spelling.isdigit() or len(spelling) > 4:
        return
    count = int(spelling)
    for long, factor, short in _SAME_TIME:
        if kind == long:
            yield str(count * factor), short
        elif kind == short and count % factor == 0 and count:
            yield str(count // factor), long


def _same_hour(number: str, text: str, end: int) -> Iterator[str]:
    """The spellings of a time in the other form: 17:00 for 5 pm, 5:00 for 17:00."""
    hour, _, minutes = number.replace(".", ":").partition(":")
    if not hour.isdigit() or len(hour) > 2:
        return
    if found := _AM_OR_PM.match(text, end):
        hour = str(int(hour) % 12 + (12 if found[1] == "p" else 0))
    elif ":" in number and int(hour) > 12:
        hour = str(int(hour) - 12)
    else:
        return
    yield from (f"{hour}:{minutes or '00'}", f"{hour}.{minutes or '00'}")
    if not minutes.strip("0"):
        yield hour


def likeness(stated: str, has: str) -> float:
    """How well the kind `has` of a source's number fits the kind `stated` in an answer, in [0, 1]."""
    if stated in ("", has):
        return 1.0
    if not has:
        return _UNKNOWN_PRICE if stated in (MONEY, SHARE) else _UNKNOWN_KIND
    is_vague = THINGS in (stated, has) and not {MONEY, SHARE} & {stated, has}
    return _OTHER_THINGS if is_vague else 0.0


def ranges_in(text: str) -> list[tuple[str, str]]:
    """The two ends of each range, such as "1 to 6" or "3-5"."""
    return [(found[1], found[2]) for found in _RANGE.finditer(text)]


def is_time(kind: str) -> bool:
    return any(kind in (long, short) for long, _, short in _SAME_TIME)


@cache
def _units() -> dict[str, list[str]]:
    units = {kind: shared.split() for kind, shared in _SHARED.items()}
    for language in sorted(LANGUAGES):
        for kind, words in language_table(language)["units"].items():
            units.setdefault(kind, []).extend(word for word in words if word not in units[kind])
    return units


@cache
def _kind_of() -> dict[str, str]:
    return {unit.casefold(): kind for kind, units in _units().items() for unit in units}


@cache
def _unit_words() -> re.Pattern[str]:
    """Matches units that `_UNIT` does not: of several words, with marks, and in scripts without spaces."""
    others = [unit for unit in _kind_of() if not unit.isalpha() and unit[0].isalpha()]
    unspaced = [unit for unit in _kind_of() if is_spaceless(unit[0])]
    return re.compile(rf"\s?(?:({any_of(unspaced)})|({any_of(others)})(?!\w))", re.IGNORECASE)


def counts_in(unit: str, text: str) -> bool:
    """Whether the text has a number with this unit or, for time, the next larger or smaller one: "36 months" counts in
    years."""
    kind = _kind_of().get(unit.casefold())
    fitting = {kind}.union(*({long, short} for long, _, short in _SAME_TIME if kind in (long, short)))
    return kind is not None and any(not fitting.isdisjoint(kinds) for kinds in number_kinds(text).values())


def units_of(kind: str) -> str:
    """The words and signs for a kind, separated by spaces."""
    return " ".join(_units().get(kind, ()))


def is_unit(word: str) -> bool:
    """Whether a word is a unit, such as GB, which looks like a name."""
    return word.casefold() in _kind_of()


def _kind(text: str, start: int, end: int) -> str:
    if _MONEY_AHEAD.search(text[max(0, start - 6) : start]):
        return MONEY
    unit = _unit_words().match(text, end) or _UNIT.match(text, end)
    word = ((unit and (unit[1] or unit[unit.re.groups])) or "").casefold()
    if word in _kind_of():
        return _kind_of()[word]
    if ":" in text[start:end]:
        return CLOCK
    if len(word) < 3 or word in _COUNTED_NEVER:
        return ""
    return THINGS
