"""Whether the sources state what a sentence states, about the same subject.

A number that is anywhere in a page proves nothing: a price list has the price of every plan. So each fact is looked up
in the sentences and table rows of the sources, and the place that has it must match the sentence nearly as well as the
best place does.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from app.core.text.content_words import is_content_word
from app.core.text.stated_facts import Fact, FactKind, facts_of, numbers_in, plain, spellings
from app.core.text.words import search_terms
from app.kit.recent_values import RecentValues

_REMEMBERED: Final = 128  # sections, each about 50 KB for a thousand characters
_STEM_CHARS: Final = 6
_CONTEXT_WEIGHT: Final = 0.5  # weight of the words around a place: heading, sentence before, head of the table
# A place that has the fact must have this share of the best place's cover.
_LIKE_THE_BEST: Final = {FactKind.NUMBER: 0.6, FactKind.NAME: 0.2}
_JOINED_SHARE: Final = 0.5  # of that share, if the name is in the same sentence or cell
_SURE_COVER: Final = 0.85  # at this cover a place states the same, so "not" in only one of the two is a contradiction
_AS_GOOD: Final = 0.8  # share of the best cover from which other places count as well
_NEAR_COVER: Final = 0.4  # at this cover words alone show that a place is about the same
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|ly|en|er|e)$")
_HEADING: Final = re.compile(r"#{1,6}\s+(.*)")
_TABLE_RULE: Final = re.compile(r"\s*\|[\s:|-]+\|?\s*")
_SENTENCES: Final = re.compile(r"(?<=[.!?…。！？])\s+")
# One place seldom has all of a sentence: the price is in one row, the number of stations in another.
_CLAUSES: Final = re.compile(r"[,;:()]\s|\s(?:and|or|but|while|et|und|oder|y|o|e)\s")
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|cannot|without|nicht|kein\w*|nie|niemals"
    r"|ohne|pas|jamais|aucune?|sans|nunca|sin|ningun\w*|non|mai|senza)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence, item or table row of a source, with the text around it."""

    text: str
    around: str
    words: frozenset[str]
    words_around: frozenset[str]
    numbers: frozenset[str]
    names: str  # of the text and the text around it, case-folded
    scope: str  # of the section, or of the cell with its heads, case-folded
    numbers_in_scope: frozenset[str]

    def has(self, fact: Fact) -> bool:
        if fact.kind is FactKind.NUMBER:
            return bool(self.numbers & spellings(fact.text))
        return _is_named(fact.text, self.names)

    def has_in_scope(self, fact: Fact) -> bool:
        if fact.kind is FactKind.NUMBER:
            return bool(self.numbers_in_scope & spellings(fact.text))
        return _is_named(fact.text, self.scope)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the sources do not prove of a sentence. `cover`, in [0, 1], is the share of its words that the best place
    has; if it is low, only the meaning can decide (`needs_meaning`)."""

    missing: tuple[Fact, ...]
    is_contradicted: bool
    cover: float
    facts: int

    @property
    def is_proven(self) -> bool:
        return not self.missing and not self.is_contradicted

    @property
    def needs_meaning(self) -> bool:
        return self.cover < _NEAR_COVER


@dataclass(frozen=True, slots=True)
class Section:
    """A source cut into places. `seen` counts for each word the places that have it or are next to it; `code` is the
    text without spaces."""

    places: tuple[Place, ...]
    seen: Counter[str]
    code: str

    @classmethod
    def cut(cls, title: str, markdown: str) -> "Section":
        """`title` is the page's title with the headings down to the section."""
        places = tuple(_places(title, markdown))
        seen = Counter(word for place in places for word in place.words | place.words_around)
        return cls(places, seen, "".join(markdown.split()))


class KnownSections:
    """The sections that answers were checked against lately: a site's visitors ask about the same ones again and again,
    and cutting one takes some milliseconds. Thread-safe."""

    def __init__(self) -> None:
        self._known = RecentValues[tuple[str, str], Section](_REMEMBERED)

    def section(self, title: str, markdown: str) -> Section:
        section = self._known.get((title, markdown))
        if section is None:
            section = Section.cut(title, markdown)
            self._known.keep((title, markdown), section)
        return section


class Evidence:
    """The places of some sections."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.places = [place for section in sections for place in section.places]
        self._code = "\n".join(section.code for section in sections)
        seen: Counter[str] = Counter()
        for section in sections:
            seen.update(section.seen)
        self._weights = {word: math.log(1 + len(self.places) / count) for word, count in seen.items()}
        self._rarest = math.log(1 + len(self.places))

    def verdict(self, sentence: str, language: str | None = "en") -> Verdict:
        facts = facts_of(sentence, language)
        text = plain(sentence)
        parts = [_Part.of(text, facts, text), *(_Part.of(part, facts, text) for part in _CLAUSES.split(text))]
        covers = [self._cover(parts[0].words, place) for place in self.places]
        best = max(covers, default=0.0)
        missing = tuple(fact for fact in facts if not self._stands(fact, parts))
        return Verdict(missing, self._is_contradicted(sentence, covers, best), best, len(facts))

    def nearest(self, sentence: str, count: int) -> list[str]:
        """The places that share the most words with the sentence."""
        words = _words(plain(sentence))
        ordered = sorted(self.places, key=lambda place: -self._cover(words, place))
        return [place.text for place in ordered[:count]]

    def likest(self, sentence: str, having: Sequence[Fact] = (), at_least: float = 0.0) -> str:
        """The place that shares the most words with the sentence, among those that have one of the facts `having`, if
        given. "" if none shares as much as `at_least`."""
        words = _words(plain(sentence))
        fitting = [place for place in self.places if not having or any(place.has(fact) for fact in having)]
        best = max(fitting, key=lambda place: self._cover(words, place), default=None)
        return best.text if best is not None and self._cover(words, best) >= at_least else ""

    def has_code(self, code: str) -> bool:
        """Whether a source contains it, ignoring spaces."""
        return "".join(code.split()) in self._code

    def _stands(self, fact: Fact, parts: Sequence["_Part"]) -> bool:
        if fact.kind is FactKind.CODE:
            return self.has_code(fact.text)
        if fact.is_opening and any(_words(fact.text) <= place.words for place in self.places):
            return True
        holding = [place for place in self.places if place.has(fact)]
        return any(self._stands_in(fact, part, holding) for part in parts if fact in part.facts)

    def _stands_in(self, fact: Fact, part: "_Part", holding: Sequence[Place]) -> bool:
        """Whether a place with the fact matches the part nearly as well as the best place that could have such a fact,
        and also has what the part joins to it: one of the names for a number, one of the numbers for a name."""
        words = part.words - _words(fact.text)
        joined = part.joined_with(fact)
        fitting = [place for place in holding if not joined or any(place.has_in_scope(other) for other in joined)]
        if not fitting:
            return False
        rivals = self.places if fact.kind is FactKind.NAME else [place for place in self.places if place.numbers]
        best = max(self._cover(words, place) for place in rivals)
        needed = _LIKE_THE_BEST[fact.kind]
        return any(
            self._cover(words, place) >= (_JOINED_SHARE if _has_one(joined, place) else 1) * needed * best
            for place in fitting
        )

    def _is_contradicted(self, sentence: str, covers: Sequence[float], best: float) -> bool:
        if best < _SURE_COVER:
            return False
        alike = [place for place, cover in zip(self.places, covers, strict=True) if cover >= _AS_GOOD * best]
        if _NEGATION.search(sentence):
            return not any(_NEGATION.search(place.text) or _NEGATION.search(place.around) for place in alike)
        return all(_NEGATION.search(place.text) for place in alike)

    def _cover(self, words: frozenset[str], place: Place) -> float:
        """The share of the words that a place has, weighted by their rarity."""
        whole = sum(self._weights.get(word, self._rarest) for word in words)
        if not whole:
            return 1.0
        own = sum(self._weights[word] for word in words & place.words)
        around = sum(self._weights[word] for word in (words & place.words_around) - place.words)
        return (own + _CONTEXT_WEIGHT * around) / whole


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, or a clause of it, which may rely on names elsewhere in the sentence."""

    words: frozenset[str]
    facts: tuple[Fact, ...]
    names: tuple[Fact, ...]

    @classmethod
    def of(cls, text: str, facts: Sequence[Fact], sentence: str) -> "_Part":
        """A clause without a name takes those before it."""
        own = tuple(fact for fact in facts if fact.text.casefold() in text.casefold())
        names = [fact for fact in facts if fact.kind is FactKind.NAME and not fact.is_opening]
        end = sentence.find(text) + len(text)
        before = [name for name in names if 0 <= sentence.find(name.text) < end]
        near = tuple(name for name in names if name in own) or tuple(before)
        return cls(_words(text) | _words(" ".join(name.text for name in names)), own, near)

    def joined_with(self, fact: Fact) -> list[Fact]:
        if fact.kind is FactKind.NUMBER:
            return list(self.names)
        return [other for other in self.facts if other.kind is FactKind.NUMBER]


def _has_one(facts: Sequence[Fact], place: Place) -> bool:
    return any(place.numbers & spellings(fact.text) or _is_named(fact.text, place.text.casefold()) for fact in facts)


def _is_named(name: str, text: str) -> bool:
    name = name.casefold()
    forms = {name, name.removesuffix("'s").removesuffix("’s"), f"{name}s", name.removesuffix("s")}
    return any(form in text and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in forms if form)


def _places(title: str, markdown: str) -> Iterable[Place]:
    heading = ""
    section: list[str] = []
    for line in [*markdown.splitlines(), "# "]:
        if found := _HEADING.match(line):
            yield from _of_section(" ".join((title, heading)), heading, section)
            heading, section = found[1], []
        else:
            section.append(line)


def _of_section(titles: str, heading: str, lines: Sequence[str]) -> Iterable[Place]:
    prose = " ".join(line for line in lines if not _is_row(line))
    of_titles = _Scope.of(titles)
    scope = of_titles.with_text(prose, numbers_in(prose))
    in_titles = _words(plain(titles))
    before = header = ""
    in_before: frozenset[str] = frozenset()
    if heading:
        yield _place(heading, titles, in_titles, scope)
    for line in lines:
        if not line.strip():
            header = ""
        elif not _is_row(line):
            for sentence in _SENTENCES.split(line):
                place = _place(sentence, f"{titles} {before}", in_titles | in_before, scope)
                yield place
                before, in_before = sentence, place.words
        elif not header:
            header = line
            numbers = numbers_in(line)
            yield _place(line, titles, in_titles, of_titles.with_text(line, numbers), numbers)
        elif not _TABLE_RULE.fullmatch(line):
            yield from _cells(header, line, titles, of_titles)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _cells(header: str, row: str, titles: str, of_titles: "_Scope") -> Iterable[Place]:
    """Each cell with the heads of its column and row, so that it proves nothing about its neighbours."""
    columns, cells = _split(header), _split(row)
    around = f"{titles} {row}"
    in_around = _words(plain(around))
    for number, (column, cell) in enumerate(zip_longest(columns, cells, fillvalue="")):
        text = f"{column} {cell}" if number == 0 else f"{cells[0]} {column} {cell}"
        numbers = numbers_in(text)
        yield _place(text, around, in_around, of_titles.with_text(text, numbers), numbers)


def _split(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


@dataclass(frozen=True, slots=True)
class _Scope:
    folded: str
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Scope":
        return cls(text.casefold(), numbers_in(text))

    def with_text(self, text: str, numbers: frozenset[str]) -> "_Scope":
        """The scope with the text, which has these numbers, appended."""
        return _Scope(f"{self.folded} {text.casefold()}", self.numbers | numbers)


def _place(
    text: str, around: str, words_around: frozenset[str], scope: _Scope, numbers: frozenset[str] | None = None
) -> Place:
    return Place(
        text,
        around,
        _words(plain(text)),
        words_around,
        numbers_in(text) if numbers is None else numbers,
        f"{text} {around}".casefold(),
        scope.folded,
        scope.numbers,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in (term.casefold() for term in search_terms(text)) if is_content_word(word))


def _stem(word: str) -> str:
    return _ENDING.sub("", word)[:_STEM_CHARS] if len(word) > _STEM_CHARS - 2 else word
