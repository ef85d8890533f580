"""Names and years that a question turns on: a passage that lacks them answers another question."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from app.answers.writing.answer_context import Source
from app.answers.writing.passages import Passage
from app.core.text.compounds import Compound, compounds, is_spelt_in, with_plain_numbers
from app.core.text.stated_facts import FactKind, facts_of

# Log odds if none of the names is found, and less if some are; chosen on judged answers (docs/evaluation-log.md).
_MISSING_ODDS: Final = -1.5
# For a year or part number that no source mentions: a passage with the other words is about another one.
_UNMENTIONED_ODDS: Final = -5.0
_YEAR: Final = re.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/-]|[.,]\d)")
_YEAR_IN_TEXT: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")  # a date's too
_JOINT: Final = re.compile(r"[-.]")


class AskedNames:
    """The names in a question, and how far a passage has them.

    Codes and spellings with signs or capitals inside, such as E42, FastAPI, --depth or proxy_pass, are looked for in
    the passage and its headings. Capitalised words, such as Docker, are looked for in all sources, because a page need
    not repeat the name of its subject. German nouns do not count as names just because they are capitalised, and in
    questions without small letters only codes with digits count. `known` are names that go without saying. A year is
    looked for in the passage, its headings, and the date and address of its page.
    """

    def __init__(
        self, question: str, language: str | None, sources: Sequence[Source], known: Sequence[str] = ()
    ) -> None:
        names = {
            fact.text.removesuffix("'s").removesuffix("\u2019s")
            for fact in facts_of(question, language)
            if fact.kind is not FactKind.NUMBER and not fact.is_opening and fact.text not in known
        }
        if question.isupper():
            names = {name for name in names if any(map(str.isdigit, name))}
        words = {name for name in names if name[1:].islower()}
        self._exact = {name.casefold() for name in names - words}
        self._missing = _missing(words, sources) if words else 0
        self._count = len(words) + len(self._exact)
        self._unmentioned = _unmentioned(question, sources)
        years = set().union(*(_YEAR_IN_TEXT.findall(_dated(source, source.text)) for source in sources))
        self._years = {year: year in years for year in _YEAR.findall(question)}

    @property
    def codes(self) -> Collection[str]:
        """The codes and spellings with signs or capitals inside, case-folded."""
        return self._exact

    def odds(self, passage: Passage) -> float:
        """What names, years and codes that the passage lacks add to the log odds that it is the answer; 0 or less."""
        named = self._odds_of_names(passage) if self._count else 0.0
        return self._odds_of_years(passage) + _UNMENTIONED_ODDS * self._unmentioned + named

    def _odds_of_years(self, passage: Passage) -> float:
        if not self._years:
            return 0.0
        years = set(_YEAR_IN_TEXT.findall(_dated(passage.source, passage.heading, passage.text)))
        missing = [is_elsewhere for year, is_elsewhere in self._years.items() if year not in years]
        return sum(_MISSING_ODDS if is_elsewhere else _UNMENTIONED_ODDS for is_elsewhere in missing)

    def _odds_of_names(self, passage: Passage) -> float:
        text = _folded(passage.within, passage.text, *passage.names)
        lacking = sum(not _has(text, name) for name in self._exact)
        return _MISSING_ODDS * (self._missing + lacking) / self._count


def _dated(source: Source, *texts: str) -> str:
    """The texts with the page's title, headings, address and date."""
    day = source.day or source.as_of
    year = str(day.year) if day else ""
    return "\n".join((source.title, *source.breadcrumb, source.url, year, *texts))


def _missing(words: Collection[str], sources: Sequence[Source]) -> int:
    text = _folded(*(part for source in sources for part in (source.title, *source.breadcrumb, source.text)))
    return sum(word.casefold() not in text for word in words)


def _unmentioned(question: str, sources: Sequence[Source]) -> int:
    """How many of the question's part numbers, error codes and the like no source has in any spelling."""
    codes = [
        each.joined.casefold()
        for each in compounds(with_plain_numbers(question))
        if isinstance(each, Compound) and each.is_designation
    ]
    if not codes:
        return 0
    text = _folded(*(part for each in sources for part in (each.title, *each.breadcrumb, each.url, each.text)))
    return sum(not is_spelt_in(text, code) for code in codes)


def _has(text: str, name: str) -> bool:
    """Also matches other cuts, and separate parts: "the sticky bit" has Sticky-Bit."""
    return is_spelt_in(text, name) or all(_is_in(text, part) for part in _JOINT.split(name))


def _is_in(term: str, name: str) -> bool:
    """Whether the name is a word of the term: -d is no word of `--depth`."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", term) is not None


def _folded(*texts: str) -> str:
    return "\n".join(texts).casefold()
