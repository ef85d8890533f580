"""Sentences whose time has passed: a deadline of last year, "new in 2023", a price with a line through it."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, Final
from urllib.parse import urlsplit

from app.core.chunk import Chunk
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.markdown.section_text import shown_line
from app.core.text.sentences import sentences
from app.site_report.site_report import AgeingFact, AgeingKind, Excerpt

# Dated pages and sections: news, posts, release notes. What they say was true when they were written, and they say
# when; so it is not compared with what holds now.
_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_IN_PATH: Final = re.compile(r"/(?:19|20)\d{2}(?:[/-]|$)")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_HEAD_CHARS: Final = 300


def is_post(page: Sequence[Chunk]) -> bool:
    """Whether the page belongs to a day, such as news, by its address or by a date at its beginning."""
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


_STRUCK: Final = re.compile(r"~~([^~\n]{1,80})~~")
_MOST_CHARS: Final = 400


def ageing_facts(chunks: Iterable[Chunk], today: date) -> list[AgeingFact]:
    """In the order of the pages."""
    return [fact for chunk in chunks for fact in _of_chunk(chunk, today)]


def _of_chunk(chunk: Chunk, today: date) -> Iterator[AgeingFact]:
    for line in chunk.text.splitlines():
        for found in _STRUCK.finditer(line):
            if not any(map(str.isdigit, found[1])):
                continue
            excerpt = Excerpt(_short(line), chunk.link, chunk.title, chunk.language)
            yield AgeingFact(AgeingKind.STRUCK_OUT, found[1].strip(), excerpt)
    words = _present_words(chunk.language or "en")
    if words is None:
        return
    for sentence in _sentences(chunk.text):
        excerpt = Excerpt(sentence, chunk.link, chunk.title, chunk.language)
        days = list(dates_in(sentence))
        past = [day for day, at in days if day < today and words.announces(sentence[:at])]
        if past and max(day for day, _ in days) < today:
            yield AgeingFact(AgeingKind.PAST_DATE, max(past).isoformat(), excerpt)
        elif not days and (year := words.of_now.search(sentence)) and int(year["year"]) < today.year:
            yield AgeingFact(AgeingKind.PAST_YEAR, year["year"], excerpt)


def _sentences(markdown: str) -> Iterator[str]:
    for block in blocks(markdown):
        if block.kind is not BlockKind.CODE:
            for line in block.text.splitlines() if block.kind is not BlockKind.PARAGRAPH else [block.text]:
                yield from (each for each in sentences(shown_line(line)) if len(each) <= _MOST_CHARS)


def _short(line: str) -> str:
    return " ".join(line.split())[:_MOST_CHARS]


@dataclass(frozen=True, slots=True)
class _Words:
    until: re.Pattern[str]
    future: re.Pattern[str]
    on: re.Pattern[str]
    of_now: re.Pattern[str]

    def announces(self, before: str) -> bool:
        """Whether the text `before` a day makes it a deadline, or the day of a coming event."""
        return bool(self.until.search(before) or (self.on.search(before) and self.future.search(before)))


@cache
def _present_words(language: str) -> _Words | None:
    """None for a language without a list."""
    words = ageing_words().get(language)
    if words is None:
        return None
    until, future, on, of_now = (_any(words[name]) for name in ("until", "future", "on", "of_now"))
    return _Words(
        re.compile(rf"{until}[: ]*$", re.IGNORECASE),
        re.compile(rf"{future}(?!\w)", re.IGNORECASE),
        re.compile(rf"{on} $", re.IGNORECASE),
        re.compile(rf"{of_now} (?P<year>20\d\d)(?![\w.-])", re.IGNORECASE),
    )


def _any(words: Sequence[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})"
