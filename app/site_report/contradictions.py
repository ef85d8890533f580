"""Pairs of pages that state one fact with two values: "3 years" here, "2 years" there.

Two values of the same unit on different pages are compared by the words of their clauses. They are of one fact if
nearly all words are the same, or many words and another value of the sentence. They are not if a page states both, if
there are further values over all pages, or if the pages differ in several sentences, as those of two products do.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log
from typing import Final

from app.core.text.number_kinds import MONEY, is_unit
from app.core.text.polarity import denies, is_condition, limits
from app.core.text.sentences import points_back
from app.core.text.stated_facts import identifiers_in, spellings
from app.core.text.words import is_content_word
from app.site_report.site_report import Contradiction, Excerpt
from app.site_report.statements import EMAIL, PHONE, Statement, Value, stems

_SAME: Final = 0.7  # share of the words' weight that two clauses have in common
_SAME_WITH_VALUE: Final = 0.4  # the same, if another value of the sentence is equal
_LEAST_WORDS: Final = 2  # content words in common
_RARE_SHARE: Final = 0.005  # of the values; a word next to more of them names no subject
_RARE: Final = 40  # values; the same on a website with few of them
_COMMON: Final = 60  # values; a word next to more of them is not used to find pairs
_MOST_VALUES: Final = 2
_YEARS: Final = range(1900, 2101)
_LEAST_ROUNDED: Final = 1_000
_STOPS: Final = re.compile(r"[,;:()]\s|[()]")
_DIGITS: Final = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A value and what is said of it in its `clause`; `before` is the sentence up to the end of that clause. `words`
    are the content stems of the clause, `all_words` those of the sentence; `code` identifies what has the price."""

    statement: Statement
    value: Value
    clause: str
    before: str
    words: frozenset[str]
    all_words: frozenset[str]
    spelt: frozenset[str]
    code: str

    @property
    def page(self) -> str:
        return self.statement.excerpt.page

    @property
    def excerpt(self) -> Excerpt:
        return replace(self.statement.excerpt, mark=(self.value.start, self.value.end))


def contradictions(found: Sequence[Statement]) -> list[Contradiction]:
    """The contradictions among the statements, in the order of the pages."""
    claims = [claim for statement in found for claim in _claims(statement)]
    counted = Counter(word for claim in claims for word in claim.all_words)
    weights = {word: log(1 + len(claims) / count) for word, count in counted.items()}
    rare = log(1 + len(claims) / max(_RARE, _RARE_SHARE * len(claims)))
    pairs = [(a, b) for a, b in _near(claims) if _is_one_fact(a, b, weights, rare)]
    differing = Counter(
        pages for pages, _ in {(_pages(a, b), a.statement.excerpt.text) for a, b in pairs if not a.code}
    )
    by_fact: dict[tuple[frozenset[str], str], list[tuple[_Claim, _Claim]]] = defaultdict(list)
    for a, b in pairs:
        by_fact[frozenset() if a.code else a.all_words & b.all_words, a.code].append((a, b))
    kept = [
        of_fact[0]
        for (words, _), of_fact in by_fact.items()
        if len({claim.spelt for pair in of_fact for claim in pair}) <= _MOST_VALUES
        and (of_fact[0][0].code or differing[_pages(*of_fact[0])] == 1)
        and not _are_both_stated(*of_fact[0], words, claims)
    ]
    return [Contradiction(a.excerpt, b.excerpt) for a, b in kept]


def _pages(a: _Claim, b: _Claim) -> frozenset[str]:
    return frozenset((a.page, b.page))


def _claims(statement: Statement) -> Iterator[_Claim]:
    text = statement.excerpt.text
    if points_back(text):  # to a sentence that another page does not have
        return
    stops = [stop.span() for stop in _STOPS.finditer(text)]
    for value in filter(_is_fact, statement.values):
        since = max((end for _, end in stops if end <= value.start), default=0)
        to = min((start for start, _ in stops if start >= value.end), default=len(text))
        clause = f"{text[since : value.start]} {text[value.end : to]}"
        words, all_words = (_telling(part) for part in (clause, f"{text[: value.start]} {text[value.end :]}"))
        if len(words) < _LEAST_WORDS or value.unit in (EMAIL, PHONE):
            words = all_words
        yield _Claim(statement, value, clause, text[:to], words, all_words, _spelt(value), _code(text, value))


def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in stems(_DIGITS.sub(" ", text)) if is_content_word(word) and not is_unit(word))


def _spelt(value: Value) -> frozenset[str]:
    return spellings(value.written.casefold())


def _is_fact(value: Value) -> bool:
    """Whether the value counts something, and is neither a year nor a label."""
    is_year = value.written.isdigit() and int(value.written) in _YEARS
    is_label = "." in value.written and not value.is_measured  # a version, or the number of a table
    return value.counts and not (is_year and not is_unit(value.unit)) and not is_label


def _code(text: str, value: Value) -> str:
    """The identifier right before a price: "NB-W1, €109", "NB-W1: Price: €109"; "" if there is none."""
    before = text[: value.start]
    found = identifiers_in(before) if value.unit.startswith(MONEY) else []
    if not found:
        return ""
    between = before[before.rindex(found[-1]) + len(found[-1]) :]
    return found[-1] if len(stems(between)) <= 1 else ""


def _near(claims: Sequence[_Claim]) -> Iterator[tuple[_Claim, _Claim]]:
    """Pairs of different values of one unit on different pages whose sentences have a word in common."""
    by_word: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, claim in enumerate(claims):
        for word in {*claim.all_words, claim.code} - {""}:
            by_word[claim.value.unit, word].append(at)
    pairs = {pair for places in by_word.values() if len(places) <= _COMMON for pair in combinations(places, 2)}
    for first, second in sorted(pairs):
        a, b = claims[first], claims[second]
        if a.page != b.page and a.spelt.isdisjoint(b.spelt) and not _is_other_form(a.value, b.value):
            yield a, b


def _is_other_form(a: Value, b: Value) -> bool:
    """Whether both may hold: one is the other in round figures, or they are addresses of two departments."""
    if a.unit == EMAIL:
        return a.written.partition("@")[0].casefold() != b.written.partition("@")[0].casefold()
    return _is_rounded(a, b)


def _is_rounded(a: Value, b: Value) -> bool:
    """Whether one is the other in round figures: 41,000 and 41,200."""
    digits = sorted((re.sub(r"[.,]", "", value.written) for value in (a, b)), key=lambda each: len(each.rstrip("0")))
    round_, exact = digits
    if not (round_ + exact).isdigit() or len(round_) != len(exact) or int(round_) < _LEAST_ROUNDED:
        return False
    unit = int("1" + "0" * (len(round_) - len(round_.rstrip("0"))))
    return abs(int(round_) - int(exact)) < unit


def _is_one_fact(a: _Claim, b: _Claim, weights: Mapping[str, float], rare: float) -> bool:
    if a.code or b.code:
        return a.code == b.code
    shared = a.all_words & b.all_words
    if sum(weights[word] >= rare for word in shared) < _LEAST_WORDS:
        return False
    if _has(b.statement, a.value) or _has(a.statement, b.value) or not _differ_once(a.statement, b.statement):
        return False
    shares_value = any(_has(b.statement, value) for value in a.statement.values if value.written[:1].isdigit())
    share = max(
        _weigh(one & other, weights) / _weigh(one | other, weights)
        for one, other in ((a.words, b.words), (a.all_words, b.all_words))
    )
    if share < (_SAME_WITH_VALUE if shares_value else _SAME):
        return False
    if (a.statement.names & a.words) - _whole(b.statement) or (b.statement.names & b.words) - _whole(a.statement):
        return False
    if is_condition(a.before) != is_condition(b.before):
        return False
    return all(check(a.clause) == check(b.clause) for check in (denies, limits))


def _whole(statement: Statement) -> frozenset[str]:
    return statement.words | statement.about | statement.title


def _has(statement: Statement, value: Value) -> bool:
    return any(each.unit == value.unit and not _spelt(each).isdisjoint(_spelt(value)) for each in statement.values)


def _differ_once(a: Statement, b: Statement) -> bool:
    """Whether one of them has at most one value that the other has not, among the units that both have."""
    units = {value.unit for value in a.values if value.counts} & {value.unit for value in b.values if value.counts}
    left = [
        sum(value.unit in units and not _has(other, value) for value in one.values) for one, other in ((a, b), (b, a))
    ]
    return min(left) <= 1


def _are_both_stated(a: _Claim, b: _Claim, words: frozenset[str], claims: Iterable[_Claim]) -> bool:
    """Whether one page has both values with most of the words, so that they are of two cases."""
    pages = [
        {
            claim.page
            for claim in claims
            if claim.value.unit == one.value.unit
            and not claim.spelt.isdisjoint(one.spelt)
            and (claim.code == one.code if one.code else 2 * len(claim.all_words & words) >= len(words))
        }
        for one in (a, b)
    ]
    return not pages[0].isdisjoint(pages[1])


def _weigh(words: Collection[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in words)
