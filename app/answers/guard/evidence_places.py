"""A source cut into the places that can prove something: sentences, items, and the cells of tables."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from app.answers.guard.place_words import (
    capitalised,
    denied_stems,
    is_named,
    labels_in,
    names_within,
    number_words,
    stem,
    stems,
)
from app.core.text.markdown.blocks import DELIMITER_ROW, HEADING
from app.core.text.markdown.table import cells, is_row
from app.core.text.number_kinds import number_kinds
from app.core.text.polarity import denies
from app.core.text.stated_facts import ITEM, Fact, FactKind, numbers_in, plain, spellings
from app.core.text.words import folded_words, words
from app.kit.cache import RecentValues

_REMEMBERED: Final = 128  # sections, each about 50 KB for a thousand characters
_WITHDRAWN: Final = re.compile(r"(?<![~\\])~~(?![~\s])(?:(?!~~)[^\n])++~~(?!~)")  # as readers mark what is struck out
_SENTENCES: Final = re.compile(r"(?<=[.!?…。！？])\s+")
_MOST_NAMES: Final = 0.2  # of the words; where there are more, all nouns have capital letters, as in German
_HEADS_A_LIST: Final = re.compile(r"(?:what|which|who|where|things|items|not|no)\b[^?]{0,80}$", re.IGNORECASE)
_CONTEXT_WEIGHT: Final = 0.5  # weight of the words around a place: heading, sentence before, head of the table


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence, list item or table cell of a source, with the text around it. `numbers` maps each spelling of a
    number to the kinds of what it counts. `capitalised` and `in_heading` are stems of words with a capital letter."""

    text: str
    before: str  # the sentence before
    around: str  # headings, and the row of a cell
    words: frozenset[str]  # stems, and numbers as "=5"
    words_around: frozenset[str]  # of headings, row and sentence before
    numbers: Mapping[str, set[str]]
    scope: str  # of the section, or of the cell with its heads, case-folded
    numbers_in_scope: frozenset[str]
    capitalised: frozenset[str]
    in_heading: frozenset[str]
    is_heading: bool  # or the head of a table
    is_denied: bool  # an item of "What is not covered"
    denied: frozenset[str]  # stems of the words that the text denies

    @property
    def is_cell(self) -> bool:
        """Whether the place is a table cell below the header row."""
        return "|" in self.around

    @property
    def folded(self) -> str:
        return f"{self.text} {self.around} {self.before}".casefold()

    def shared(self, words: frozenset[str]) -> frozenset[str]:
        """Those of `words` that the place has, or that are around it."""
        return words & (self.words | self.words_around)

    def has(self, fact: Fact) -> bool:
        if fact.kind is FactKind.NUMBER:
            return any(spelling in self.numbers for spelling in spellings(fact.text))
        return is_named(fact.text.casefold(), self.folded)


@dataclass(frozen=True, slots=True)
class Section:
    """A source cut into places. `seen` counts, for each word, the places that have it in their text or around it.
    `names` are the words that have a capital letter within sentences and never occur without one. `labels` are the
    stems of `names` and of capitalised words in tables or menu paths. `code` is the text without spaces."""

    places: tuple[Place, ...]
    seen: Counter[str]
    names: frozenset[str]
    labels: frozenset[str]
    code: str
    wording: str  # of all places, as `wording_of` returns it

    @classmethod
    def cut(cls, title: str, markdown: str) -> "Section":
        """`title` is the page's title with the headings above the section. Struck-out text, "~~€99~~", proves
        nothing."""
        code = "".join(markdown.split())
        title, markdown = _WITHDRAWN.sub(" ", title), _WITHDRAWN.sub(" ", markdown)
        places = tuple(_places(title, markdown))
        seen = Counter(word for place in places for word in place.words | place.words_around)
        lines = [line for line in markdown.splitlines() if not HEADING.match(line)]
        names = _names(lines, words(markdown))
        labels = {label for line in lines for label in labels_in(line)} | {stem(name.casefold()) for name in names}
        wording = wording_of(*(place.text for place in places))
        return cls(places, seen, names, frozenset(labels) if names else frozenset(), code, wording)


class KnownSections:
    """Caches sections: visitors ask about the same ones, and cutting one takes some milliseconds. Thread-safe."""

    def __init__(self) -> None:
        self._known = RecentValues[tuple[str, str], Section](_REMEMBERED)

    def section(self, title: str, markdown: str) -> Section:
        section = self._known.get((title, markdown))
        if section is None:
            section = Section.cut(title, markdown)
            self._known.keep((title, markdown), section)
        return section


class PlaceIndex:
    """The places of some sections, to be compared with a text by their common words, weighted by rarity. `names` and
    `labels` are those of all sections.

    Weights are summed exactly or in order, because the order of sets differs between processes."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.places = [place for section in sections for place in section.places]
        self.names = frozenset[str]().union(*(section.names for section in sections))
        self.labels = frozenset[str]().union(*(section.labels for section in sections))
        seen: Counter[str] = Counter()
        for section in sections:
            seen.update(section.seen)
        self._weights = {word: math.log(1 + len(self.places) / count) for word, count in seen.items()}
        self._rarest = math.log(1 + len(self.places))
        self._found: dict[str, list[tuple[int, float]]] = {}

    def weight(self, words: Iterable[str]) -> float:
        return math.fsum(self._weights.get(word, self._rarest) for word in words)

    def known_weight(self, words: Iterable[str]) -> float:
        """The weight of those words that any place has."""
        return math.fsum(self._weights.get(word, 0.0) for word in words)

    def covers(self, words: Iterable[str]) -> list[float]:
        """For each place the weight of the words that it has."""
        covers = [0.0] * len(self.places)
        for word in sorted(words):
            weight = self._weights.get(word, 0.0)
            for place, share in self._having(word):
                covers[place] += weight * share
        return covers

    def shares(self, words: Iterable[str]) -> list[float]:
        """For each place the share of the words that it has, in [0, 1]."""
        words = list(words)
        whole = self.weight(words)
        return [cover / whole for cover in self.covers(words)] if whole else [1.0] * len(self.places)

    def by_cover(self, words: Iterable[str]) -> list[Place]:
        """All places, best first."""
        covers = self.covers(words)
        return [self.places[number] for number in sorted(range(len(covers)), key=lambda number: -covers[number])]

    def knows(self, words: Iterable[str]) -> float:
        """The share of the words that any place has, in [0, 1]."""
        words = list(words)
        return sum(word in self._weights for word in words) / len(words) if words else 1.0

    def has_word(self, stem: str) -> bool:
        return stem in self._weights

    def has_phrase(self, phrase: str) -> bool:
        return any(phrase in place.text for place in self.places)

    def is_word(self, word: str) -> bool:
        """Whether a place has the word, in any form."""
        own = stems(word)
        return any(own <= place.words for place in self.places)

    def _having(self, word: str) -> list[tuple[int, float]]:
        found = self._found.get(word)
        if found is None:
            found = self._found[word] = [
                (number, 1.0 if word in place.words else _CONTEXT_WEIGHT)
                for number, place in enumerate(self.places)
                if word in place.words or word in place.words_around
            ]
        return found


def wording_of(*sentences: str) -> str:
    """The words of the sentences in order, one sentence per line, to find whole sentences in sequence."""
    return "".join(f"\n {' '.join(folded_words(plain(sentence)))} " for sentence in sentences) + "\n"


def _names(lines: Iterable[str], every_word: Sequence[str]) -> frozenset[str]:
    """The words that have a capital letter within a sentence and never lack it; none if all nouns have one."""
    common = {stem(word) for word in every_word if word.islower()}
    named = [name for line in lines for piece in _pieces(line) for name in names_within(piece)]
    if len(named) > _MOST_NAMES * len(every_word):
        return frozenset()
    return frozenset(name for name in named if not name[1:].islower() or stem(name.casefold()) not in common)


def _places(title: str, markdown: str) -> Iterable[Place]:
    heading = ""
    section: list[str] = []
    for line in [*markdown.splitlines(), "# "]:
        if found := HEADING.match(line):
            yield from _of_section(" ".join((title, heading)), heading, section)
            heading, section = found[1] or "", []
        else:
            section.append(line)


def _of_section(titles: str, heading: str, lines: Sequence[str]) -> Iterable[Place]:
    prose = " ".join(line for line in lines if not is_row(line))
    around = _Around.of(titles)
    scope = around.widened_by(prose, numbers_in(prose))
    in_heading = capitalised(heading)
    is_denied = is_denied_list = bool(_HEADS_A_LIST.match(heading)) and denies(heading)
    before: Place | None = None
    header = ""
    if heading:
        yield _place(heading, scope, is_heading=True)
    for line in lines:
        if not line.strip():
            header = ""
        elif not is_row(line):
            is_item = bool(ITEM.match(line))
            for sentence in _SENTENCES.split(line):
                before = _place(sentence, scope, before, in_heading, is_denied=is_item and is_denied_list)
                yield before
            if not is_item:
                is_denied_list = is_denied or (sentence.rstrip().endswith(":") and denies(sentence))
        elif not header:
            header = line
            yield _place(line, around.widened_by(line, numbers_in(line)), is_heading=True)
        elif not DELIMITER_ROW.fullmatch(line):
            yield from _cells(header, line, titles, around)


def _pieces(line: str) -> tuple[str, ...]:
    return cells(line.strip()) if is_row(line) else (line,)


def _cells(header: str, row: str, titles: str, around: "_Around") -> Iterable[Place]:
    """Each cell with the heads of its column and row, so that it proves nothing about its neighbours."""
    columns, values = cells(header.strip()), cells(row.strip())
    with_row = _Around.of(f"{titles} {row}")
    for number, (column, cell) in enumerate(zip_longest(columns, values, fillvalue="")):
        text = f"{column} {cell}" if number == 0 else f"{values[0]} {column} {cell}"
        numbers = number_kinds(text)
        of_cell = around.widened_by(text, numbers)
        yield _place(text, _Around(with_row.text, with_row.words, of_cell.scope, of_cell.numbers), numbers=numbers)


@dataclass(frozen=True, slots=True)
class _Around:
    """The text around some places (headings or a table row) and the scope in which their facts count."""

    text: str
    words: frozenset[str]
    scope: str
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Around":
        numbers = numbers_in(text)
        return cls(text, stems(plain(text)) | number_words(numbers), text.casefold(), numbers)

    def widened_by(self, text: str, numbers: Iterable[str]) -> "_Around":
        """A copy whose scope also has this text and its `numbers`."""
        return _Around(self.text, self.words, f"{self.scope} {text.casefold()}", self.numbers.union(numbers))


def _place(
    text: str,
    around: _Around,
    before: Place | None = None,
    in_heading: frozenset[str] = frozenset(),
    *,
    numbers: Mapping[str, set[str]] | None = None,
    is_heading: bool = False,
    is_denied: bool = False,
) -> Place:
    numbers = number_kinds(text) if numbers is None else numbers
    return Place(
        text,
        before.text if before else "",
        around.text,
        stems(plain(text)) | number_words(numbers),
        around.words | before.words if before else around.words,
        numbers,
        around.scope,
        around.numbers,
        capitalised(text),
        in_heading,
        is_heading,
        is_denied,
        denied_stems(text),
    )
