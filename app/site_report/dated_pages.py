"""Pages and sections of a day: news, posts, release notes. What they say was true when they were written, and they say
when; so it is not compared with what holds now."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, Final
from urllib.parse import urlsplit

from app.core.chunk import Chunk

_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_IN_PATH: Final = re.compile(r"/(?:19|20)\d{2}(?:[/-]|$)")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_HEAD_CHARS: Final = 300


def is_post(page: Sequence[Chunk]) -> bool:
    """Whether the page is of a day, by its address or by a date at its beginning."""
    head = page[0].text[:_HEAD_CHARS]
    named = page[0].dated
    return bool(_IN_PATH.search(urlsplit(page[0].url).path)) or (
        named is not None and any(day == named for day, _ in dates_in(head))
    )


def is_under_date(chunk: Chunk) -> bool:
    """Whether a heading above it names a year, as in a list of changes."""
    return any(_YEAR.search(heading) for heading in chunk.breadcrumb)


def dates_in(text: str) -> Iterator[tuple[date, int]]:
    """The days that the text names in full, each with its place."""
    for found in _ISO.finditer(text):
        yield from _day(found[1], found[2], found[3], found.start())
    for found in _written().finditer(text):
        month = months()[found["month"].casefold()]
        yield from _day(found["year"], month, found["day"] or found["day_after"], found.start())


def _day(year: str, month: str | int, day: str, at: int) -> Iterator[tuple[date, int]]:
    try:
        yield date(int(year), int(month), int(day)), at
    except ValueError:
        return


@cache
def _written() -> re.Pattern[str]:
    """ "31 March 2025", "31. März 2025", "March 31, 2025", "le 1er mars 2025"."""
    names = "|".join(sorted(map(re.escape, months()), key=len, reverse=True))
    return re.compile(
        rf"(?<!\w)(?:(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er)? (?:de |of )?)?(?P<month>{names})\.?"
        rf"(?(day)| (?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?),?(?: de)? (?P<year>(?:19|20)\d{{2}})(?!\w)",
        re.IGNORECASE,
    )


@cache
def months() -> dict[str, int]:
    """The number of each month's name, case-folded, in every language that the list has."""
    return {
        name.casefold(): number
        for table in ageing_words().values()
        for number, names in enumerate(table["months"], start=1)
        for name in names.split()
    }


@cache
def ageing_words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files(__package__).joinpath("ageing_words.toml").read_text(encoding="utf-8"))
