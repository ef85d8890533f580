"""A sentence of an answer, cut into parts that a source can prove one by one."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.answers.guard.place_words import every_stem, number_words, stems
from app.core.text.languages import LANGUAGES, any_of, language_table
from app.core.text.number_kinds import is_unit, number_kinds, number_spellings
from app.core.text.stated_facts import Fact, FactKind, facts_of, in_ascii_digits, plain

_FRAGMENT: Final = re.compile(r"(?:with|at|by|for|of|per)\s[^,;:]{1,24}(?=[,;.:]|$)", re.IGNORECASE)
_WORD: Final = re.compile(r"\w[\w'’.-]*\w|\w")
_AFTER_A_NAME: Final = re.compile(r"[A-Z]|\d{1,4}")  # Breeze M, Nibbit 6
_ACRONYM: Final = re.compile(r"[A-Z]{2,5}")
_FIRST_WORD: Final = re.compile(r"\W{0,3}([^\W\d_][\w-]*\w)")
_VERB: Final = re.compile(
    r"\s(?:is|are|was|were|has|have|had|can|will|must|may|does|do|costs?|includes?|takes?|gives?|means?|needs?|works?"
    r"|offers?|comes?|gets?|covers?|allows?|contains?|supports?|runs?|starts?|ends?|lasts?|asks?|uses?|appears?|stands?"
    r"|pays?)\b"
)


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, or a clause of it. `own_words` are its stems and numbers; `words` also has the names that the
    sentence mentions up to the end of the clause, because a clause relies on those before it."""

    text: str
    words: frozenset[str]
    own_words: frozenset[str]
    facts: tuple[Fact, ...]
    names: tuple[Fact, ...]

    @property
    def own_stems(self) -> list[str]:
        """`own_words` without the numbers."""
        return [word for word in self.own_words if not word.startswith("=")]

    def joined_with(self, fact: Fact) -> list[Fact]:
        """Facts, one of which must be in the section or cell of `fact`: names for a number, numbers for a name."""
        if fact.kind is FactKind.NUMBER:
            return list(self.names)
        return [other for other in self.facts if other.kind is FactKind.NUMBER]


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """`parts` are the whole sentence and, if there are several, its clauses. `numbers` maps each number to the pairs of
    spelling and kind under which a source may have it; `spelt` are all those spellings."""

    text: str
    is_english: bool
    facts: tuple[Fact, ...]
    parts: tuple[Part, ...]
    numbers: Mapping[str, Collection[tuple[str, str]]]
    spelt: frozenset[str]
    words: frozenset[str]

    @classmethod
    def read(
        cls,
        sentence: str,
        language: str | None,
        names: Collection[str],
        is_word: Callable[[str], bool],
        has_phrase: Callable[[str], bool],
    ) -> "ReadSentence":
        """The sources decide what is a name: `names` are theirs, `is_word` says whether they have a word that begins
        the sentence, or one like it, and `has_phrase` whether they have names side by side."""
        text = in_ascii_digits(plain(sentence)).strip()
        facts = [
            fact for fact in facts_of(sentence, language) if not (fact.kind is FactKind.NAME and is_unit(fact.text))
        ]
        first = _FIRST_WORD.match(text)
        if first and first[1] in names and all(fact.text != first[1] for fact in facts):
            facts.append(Fact(FactKind.NAME, first[1], is_opening=True))
        facts = [
            fact
            for fact in facts
            if not fact.is_opening
            or fact.text in names
            or (bool(_VERB.match(text, text.find(fact.text) + len(fact.text))) and not is_word(fact.text))
        ]
        facts = [fact for fact in _with_whole_names(facts, text, has_phrase) if not _announces(fact, text)]
        clauses = list(_whole_clauses(text, language))
        parts = [_part(text, facts, text)]
        if len(clauses) > 1:
            parts += [_part(clause, facts, text) for clause in clauses]
        is_english = language == "en"
        numbers = number_spellings(text, has_known_units=is_english)
        spelt = frozenset(spelling for pairs in numbers.values() for spelling, _ in pairs)
        return cls(text, is_english, tuple(facts), tuple(parts), numbers, spelt, every_stem(text))

    @property
    def clauses(self) -> Sequence[Part]:
        return self.parts[1:] or self.parts

    @property
    def has_figures(self) -> bool:
        return any(fact.kind is FactKind.NUMBER for fact in self.facts)


def needs_no_proof(fact: Fact, text: str, own_names: Collection[str]) -> bool:
    """Whether it is the company's name (unless used as another name would be), or only labels a number: HTTP 429."""
    if fact.kind is not FactKind.NAME:
        return False
    name = re.escape(fact.text)
    if fact.text.casefold().removesuffix("'s").removesuffix("’s") in own_names:
        return not re.search(rf"\b(?:in|on|or|with|at)\s{name}(?!\s[A-Z])", text)
    return bool(_ACRONYM.fullmatch(fact.text) and re.search(rf"(?<!\w){name} \d", text))


def _announces(fact: Fact, text: str) -> bool:
    """Whether the number counts what follows it: "in two cases: hardware, and yearly plans"."""
    return (
        fact.kind is FactKind.NUMBER
        and fact.text.isalpha()
        and bool(re.search(rf"\b{fact.text}(?:\s\w+){{1,2}}:", text, re.IGNORECASE))
    )


def _whole_clauses(text: str, language: str | None) -> Iterator[str]:
    """The clauses of the text; a fragment such as "with 38 stations" stays with the clause before it."""
    start = 0
    bounds = _clause_bounds(language if language in LANGUAGES else "en").finditer(text)
    for end in [*(found for found in bounds if not _FRAGMENT.match(text, found.end())), None]:
        if clause := text[start : end.start() if end else None].strip():
            yield clause
        start = end.end() if end else start


@cache
def _clause_bounds(language: str) -> re.Pattern[str]:
    """Where clauses end. One place seldom has a whole sentence: the price is in one row, the size in another."""
    words = language_table(language)["clauses"]
    joins, opens = any_of(words["joins"]), any_of(words["opens"])
    return re.compile(rf"[,;:()]\s|\s(?:{joins})\s|\s(?=(?:{opens})\s)", re.IGNORECASE)


def _part(text: str, facts: Sequence[Fact], sentence: str) -> Part:
    end = sentence.find(text) + len(text)
    folded = text.casefold()
    own = tuple(fact for fact in facts if fact.text.casefold() in folded)
    names = tuple(fact for fact in facts if fact.kind is FactKind.NAME and 0 <= sentence.find(fact.text) < end)
    words = stems(text) | number_words(number_kinds(text))
    return Part(text, words | stems(" ".join(name.text for name in names)), words, own, names)


def _with_whole_names(facts: Iterable[Fact], text: str, has_phrase: Callable[[str], bool]) -> list[Fact]:
    """Names beside each other are one name if the sources have them so: United Kingdom, One Wind, Breeze M."""
    names = {fact.text for fact in facts if fact.kind is FactKind.NAME}
    whole = list(_whole_names(names, text, has_phrase))
    joined = {word for name in whole for word in _WORD.findall(name)}
    kept = [fact for fact in facts if fact.kind is not FactKind.NAME or fact.text not in joined]
    return [*kept, *(Fact(FactKind.NAME, name) for name in dict.fromkeys(whole))]


def _whole_names(names: Collection[str], text: str, has_phrase: Callable[[str], bool]) -> Iterator[str]:
    start = end = -1
    is_whole = False
    for found in _WORD.finditer(text):
        word = found.group()
        is_next = start >= 0 and text[end : found.start()] == " " and (word in names or _AFTER_A_NAME.fullmatch(word))
        if is_next and has_phrase(text[start : found.end()]):
            end, is_whole = found.end(), True
            continue
        if is_whole:
            yield text[start:end]
        start, end, is_whole = (*found.span(), False) if word in names else (-1, -1, False)
    if is_whole:
        yield text[start:end]
