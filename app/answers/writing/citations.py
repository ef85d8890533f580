"""The citations of an answer, whoever wrote it: each carries the words of its source that the answer rests on."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import Final

from app.answers.writing.answer_context import AnswerContext, OfferedPassage, Source
from app.core.page_url import page_key
from app.core.text.answer_words import MARK, marked_numbers
from app.core.text.canned_messages import canned_messages
from app.core.text.markdown.blocks import DELIMITER_ROW, FENCE, HEADING, ITEM_SIGN
from app.core.text.markdown.section_text import section_name, shown_line, without_section_number
from app.core.text.markdown.table import cells, is_row
from app.core.text.sentences import sentences
from app.core.text.words import folded_words, search_terms
from app.core.turn import Citation
from app.sources.source import UNLINKED

_MAX_CHARS: Final = 1000
_MIN_LIKENESS: Final = 0.25  # of a statement and the sentence that it may rest on, in [0, 1]
_FEW_WORDS: Final = 3  # so few may be in any sentence
_NUMBER_WEIGHT: Final = 3.0

# Code keeps its brackets, so a mark within it is none.
_CODE_OR_MARKS = re.compile(rf"```.*?(?:```|\Z)|`[^`\n]+`|((?:(?:(?<!\s)\s++)?{MARK.pattern})+)", re.DOTALL)
_LIST_MARKER = re.compile(rf"^\s*(?:{ITEM_SIGN}\s+|>\s?)")
_FILE_PAGE: Final = re.compile(r"#page=(\d{1,6})$")


def citations_of(
    context: AnswerContext, cited: Sequence[int], text: str, offered: Mapping[int, OfferedPassage]
) -> tuple[Citation, ...]:
    """The citations of an answer. `cited` are the source numbers behind the [1], [2] ... of its `text`; passages that
    are `offered`, by source number, may name further sources."""
    by_number = {source.number: source for source in context.sources}
    # A mark may have been cut off, or withheld with its sentence.
    shown = {number for _, numbers in _cited(text) for number in numbers}
    named = [number for number, item in offered.items() if item.is_named]
    listed = [*cited, *(number for number in named if shown and number not in cited)]
    sources = {number: by_number[old] for number, old in enumerate(listed, start=1) if number in shown or old in named}
    quotes = found_quotes(
        text, {number: source.text for number, source in sources.items() if source.number not in named}
    )
    titles = _titles(sources, named, context.language)
    return tuple(
        Citation(
            number,
            source.url,
            titles[number],
            source.as_of,
            source.chunk_id,
            quotes.get(number),
            _joined(_units(offered[source.number].text)) or None if source.number in offered else None,
        )
        for number, source in sources.items()
    )


def _title(source: Source, language: str | None) -> str:
    """The title with the page number in a file, and a note if nobody can open it."""
    words = canned_messages(language)
    title = without_section_number(source.title, source.language)
    if page := _FILE_PAGE.search(source.url):
        title = f"{title}, {words.file_page.format(page=page[1])}"
    is_document = source.url.startswith(UNLINKED) and not source.action
    return f"{title} ({words.internal_document})" if is_document else title


def _titles(sources: Mapping[int, Source], named: Collection[int], language: str | None) -> dict[int, str]:
    """The titles by number; those that several pages share, and those of the `named` sources, include the section."""
    titles = {number: _title(source, language) for number, source in sources.items()}
    pages_by_title = Counter(title for title, _ in {(titles[n], page_key(source.url)) for n, source in sources.items()})
    for number, source in sources.items():
        title, section = titles[number], section_name(without_section_number(source.heading, source.language))
        needs_section = pages_by_title[title] > 1 or source.number in named
        if needs_section and section not in ("", title):
            titles[number] = f"{title} \u203a {section}"
    return titles


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, a table row or a line of code as the page shows it. `before` separates it from the one above."""

    text: str
    before: str
    words: tuple[str, ...]


def found_quotes(answer: str, sources: Mapping[int, str]) -> dict[int, str]:
    """The words for which each source is cited, by its number in the answer's [n] marks; sources without such words are
    left out. `sources` are Markdown; quotes are plain text as their pages show it, with newlines between blocks and
    tabs between the cells of a row, up to 1000 characters.

    Whole sentences that the answer quotes are found word for word; else the quote is the one sentence that is most like
    the statement before the mark.
    """
    quotes: dict[int, str] = {}
    statements: dict[int, list[str]] = {}
    for statement, numbers in _cited(answer):
        for number in numbers:
            statements.setdefault(number, []).append(statement)
    for number, one in statements.items():
        units = _units(sources.get(number, ""))
        quote = _word_for_word(one, units) or _most_like(one, units)
        if quote:
            quotes[number] = quote
    return quotes


def quotable_units(markdown: str) -> list[tuple[str, tuple[str, ...]]]:
    """The units of quotes, in order: each sentence, table row and line of code as its page shows it, with its folded
    words. Headings are left out."""
    return [(unit.text, unit.words) for unit in _units(markdown)]


def _cited(answer: str) -> Iterator[tuple[str, list[int]]]:
    """Each statement with the numbers that follow it."""
    start, statement = 0, ""
    for match in _CODE_OR_MARKS.finditer(answer):
        if match.group(1) is None:
            continue
        since = answer[start : match.start()]
        statement = since if folded_words(since) else statement
        start = match.end()
        yield statement, marked_numbers(match.group())


@lru_cache(maxsize=128)  # many answers use the same sections
def _units(markdown: str) -> tuple[_Unit, ...]:
    units: list[_Unit] = []
    is_code = False
    lines = markdown.splitlines()
    for line, following in zip(lines, (*lines[1:], ""), strict=False):
        if FENCE.match(line):
            is_code = not is_code
            continue
        for number, text in enumerate(_texts(line, following, is_code=is_code)):
            if words := tuple(folded_words(text)):
                units.append(_Unit(text, " " if number else "\n", words))
    return tuple(units)


def _texts(line: str, following: str, *, is_code: bool) -> list[str]:
    if is_code:
        return [line.strip()]
    if HEADING.match(line):
        return []
    if is_row(line):
        if is_row(following) and DELIMITER_ROW.fullmatch(following):
            return []  # a header proves nothing
        return ["\t".join(shown_line(cell) for cell in cells(line.strip()))]
    line = _LIST_MARKER.sub("", line, count=1)
    return [shown_line(part) for part in sentences(line)]


def _word_for_word(statements: Sequence[str], units: Sequence[_Unit]) -> str:
    """The longest run of units that one of the statements contains whole; "" if there is none."""
    longest, best = 0, slice(0)
    for statement in statements:
        words = folded_words(shown_line(statement))
        whole = f" {' '.join(words)} "
        start, length = 0, 0
        for at, unit in enumerate(units):
            if f" {' '.join(unit.words)} " not in whole:
                start, length = at + 1, 0
                continue
            length += len(unit.words)
            if length > longest and length >= min(_FEW_WORDS, len(words)):
                longest, best = length, slice(start, at + 1)
    return _joined(units[best])


def _most_like(statements: Sequence[str], units: Sequence[_Unit]) -> str:
    """The unit that shares the most with a statement's last line: words that few units have, and numbers."""
    by_unit = [_terms(unit.text) for unit in units]
    holding = Counter(term for terms in by_unit for term in terms)

    def weight(term: str) -> float:
        if any(character.isdigit() for character in term):
            return _NUMBER_WEIGHT
        return 1 / (1 + log(holding[term])) if term in holding else 1.0

    best: tuple[float, list[_Unit]] = (_MIN_LIKENESS, [])
    for statement in statements:
        stated = _terms(_last_line(statement))
        size = sum(map(weight, stated))
        for unit, terms in zip(units, by_unit, strict=True):
            shared = stated & terms
            if len(shared) < 2:
                continue
            likeness = sum(map(weight, shared)) / sqrt(size * sum(map(weight, terms)))
            if likeness > best[0]:
                best = (likeness, [unit])
    return _joined(best[1])


def _last_line(statement: str) -> str:
    """The sentence with the mark; the whole statement if that sentence has too few words."""
    lines = [line for line in statement.strip().splitlines() if folded_words(line)]
    parts = sentences(_LIST_MARKER.sub("", lines[-1], count=1)) if lines else []
    last = parts[-1] if parts else statement
    return last if len(folded_words(last)) > _FEW_WORDS else statement


def _terms(text: str) -> frozenset[str]:
    return frozenset(term.casefold() for term in search_terms(text))


def _joined(units: Sequence[_Unit]) -> str:
    text = ""
    for unit in units:
        longer = f"{text}{unit.before}{unit.text}" if text else unit.text
        if len(longer) > _MAX_CHARS:
            break
        text = longer
    return text or " ".join(unit.text for unit in units)[:_MAX_CHARS].rpartition(" ")[0]
