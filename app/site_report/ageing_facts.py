"""Sentences whose time has passed: a deadline of last year, "new in 2023", a price with a line through it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from app.core.chunk import Chunk
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.markdown.shown_text import shown_line
from app.core.text.sentences import sentences
from app.site_report.dated_pages import ageing_words, dates_in
from app.site_report.site_report import AgeingFact, AgeingKind, Excerpt

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
    words = _told_as_now(chunk.language or "en")
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
        """Whether a day with this before it is an end, or one on which something is to happen."""
        return bool(self.until.search(before) or (self.on.search(before) and self.future.search(before)))


@cache
def _told_as_now(language: str) -> _Words | None:
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
