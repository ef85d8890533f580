"""Tantivy queries for a question's terms, and the weights of terms; and corrects a question's words to those of a
site's pages: without typing errors, and joined if the pages join them."""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from tantivy import Occur, Query, Schema, Searcher

from app.core.text.stated_facts import CAPITALISE_NOUNS
from app.core.text.words import word_spans
from app.providers.indexes.keyword_analysis import (
    DEFAULT_LANGUAGE,
    KeywordAnalysis,
    Spellings,
    TypedWord,
    edits_forgiven,
)

_TITLE_BOOST: Final = 0.2  # the context line in the text repeats the title
_MAX_TERMS: Final = 32

# Weights by field for a text being typed: of BM25 for a whole word, else the score of words that begin with it or are
# near it.
_WHOLE: Final = {"title": 2.0, "text": 1.0}
_BEGUN: Final = {"title": 1.2, "text": 0.6}
_NEAR: Final = {"title": 0.6, "text": 0.3}
_SHORTEST_STEM: Final = 4
_LONGEST_ENDING: Final = 5  # the longest ending that a stemmer may have cut off


def query_for(
    words: Sequence[Spellings], schema: Schema, searcher: Searcher, among: Collection[UUID] | None
) -> Query | None:
    """A query for entries with any of the words; None if the index has none of them. With `among`, only entries of
    these document versions match."""
    known = _rarest_known(searcher, _terms_of(words))
    if not known:
        return None
    query = _any_of(known, schema)
    return query if among is None else _among(schema, query, among)


def typed_query(
    words: Sequence[TypedWord],
    schema: Schema,
    searcher: Searcher,
    among: Collection[UUID] | None,
    *,
    forgives: bool,
    wants_all: bool,
) -> Query:
    """A query for entries with all of the typed words, or with any of them. A last word that may be a stop word
    ("refund the", "refund the|me") only adds to the others."""
    must = Occur.Must if wants_all else Occur.Should
    tells_by_itself = any(word.terms for word in words)
    clauses = [
        (
            Occur.Should if tells_by_itself and not word.terms else must,
            _typed(word, schema, searcher, forgives=forgives),
        )
        for word in words
    ]
    query = Query.boolean_query(clauses)
    return query if among is None else _among(schema, query, among)


def _typed(word: TypedWord, schema: Schema, searcher: Searcher, *, forgives: bool) -> Query:
    found: list[Query] = []
    for field in ("title", "text"):
        terms = [*word.terms, *_shortened(word, field, searcher)]
        found += [
            Query.boost_query(Query.term_query(schema, field, term, index_option="freq"), _WHOLE[field])
            for term in dict.fromkeys(terms)
        ]
        if word.goes_on and word.folded:
            begun = Query.fuzzy_term_query(schema, field, word.folded, distance=0, prefix=True)
            found.append(Query.boost_query(begun, _BEGUN[field]))
        if forgives and (edits := edits_forgiven(word.folded)):
            # The index has stems, so they are compared with the stem of what was typed, or its beginning.
            beginning = word.folded[:-3] if edits > 1 else word.folded
            for stem in dict.fromkeys((beginning, *word.terms)):
                near = Query.fuzzy_term_query(schema, field, stem, distance=edits, prefix=word.goes_on or edits > 1)
                found.append(Query.boost_query(near, _NEAR[field]))
    return Query.disjunction_max_query(found) if found else Query.empty_query()


def _shortened(word: TypedWord, field: str, searcher: Searcher) -> list[str]:
    """The longest term that begins the typed word: "organisati" may become a word with the stem "organis"."""
    if not word.goes_on:
        return []
    shortest = max(_SHORTEST_STEM, len(word.folded) - _LONGEST_ENDING)
    shorter = (word.folded[:end] for end in range(len(word.folded) - 1, shortest - 1, -1))
    return next(([stem] for stem in shorter if searcher.doc_freq(field, stem)), [])


class Coverage:
    """Measures how much of a question's words a text has. A word weighs more the rarer it is in the index; its
    commonest spelling determines how rare it is."""

    def __init__(self, words: Sequence[Spellings], searcher: Searcher) -> None:
        self.weights = {term: _idf(searcher, term) for term in _terms_of(words)}
        self._words = [[(terms, sum(map(self.weights.__getitem__, terms))) for terms in each] for each in words]
        counted = sum(min(weight for _, weight in each) for each in self._words)
        self._whole = counted + _idf_of(0, searcher.num_docs)  # and one more word, which no text has

    def share(self, held: Collection[str]) -> float:
        """The share, in [0, 1), of a text with the terms `held`. Of each word, the spelling with the most counts."""
        return sum(map(self._part, self._words, itertools.repeat(held))) / self._whole

    def _part(self, spellings: Sequence[tuple[tuple[str, ...], float]], held: Collection[str]) -> float:
        shares = (sum(self.weights[term] for term in terms if term in held) / weight for terms, weight in spellings)
        return min(weight for _, weight in spellings) * max(shares)


def _terms_of(words: Sequence[Spellings]) -> list[str]:
    """The terms of every spelling, each once, in order."""
    return list(dict.fromkeys(term for spellings in words for terms in spellings for term in terms))


def _rarest_known(searcher: Searcher, terms: Sequence[str]) -> list[str]:
    """The terms that the index has; the rarest ones if there are too many for one query."""
    known = [term for term in terms if any(searcher.doc_freq(field, term) for field in ("text", "title"))]
    if len(known) <= _MAX_TERMS:
        return known
    return sorted(known, key=lambda term: _idf(searcher, term), reverse=True)[:_MAX_TERMS]


def _any_of(terms: Sequence[str], schema: Schema) -> Query:
    clauses: list[tuple[Occur, Query]] = []
    for term in terms:
        title = Query.term_query(schema, "title", term, index_option="freq")
        clauses.append((Occur.Should, Query.term_query(schema, "text", term, index_option="freq")))
        clauses.append((Occur.Should, Query.boost_query(title, _TITLE_BOOST)))
    return Query.boolean_query(clauses)


def _among(schema: Schema, query: Query, document_version_ids: Collection[UUID]) -> Query:
    """The query limited to these versions, with unchanged scores."""
    wanted = Query.term_set_query(schema, "document_version_id", [str(number) for number in document_version_ids])
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(wanted, 0.0))])


def _idf(searcher: Searcher, term: str) -> float:
    """As in BM25 (Robertson and Sparck Jones, with + 1 so that it is never negative)."""
    # Entries that were replaced count until their segment is merged, so more may be found than there are.
    return _idf_of(searcher.doc_freq("text", term), searcher.num_docs)


def _idf_of(found: int, of: int) -> float:
    return math.log(1 + (max(0, of - found) + 0.5) / (found + 0.5))


_SHORTEST: Final = 5  # letters: shorter words are near too many others
_SHORTEST_ELSEWHERE: Final = 6  # in languages without a list of common words
_LIKELY: Final = 8
_MOST: Final = 8  # unknown words that are looked up: a question with more is in another language
_ALPHABETS: Final = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρσςτυφχψω")

Span: TypeAlias = tuple[int, int]


class Respelling:
    """Corrects one agent's questions, in `language`. `is_word` tells whether a word in lower case is a common English
    one.

    A word that no page has is joined with the word after or before it, if that is a word of the pages. Else it becomes
    the commonest word of the pages that differs by two letters exchanged, one added, or one left out, and among common
    words by a different letter, but not the first. Names keep their spelling. Words are never split: this made texts
    match more of a question than is true, such as the airspeed of a swallow where pages mention air and speed.
    """

    def __init__(
        self, analysis: KeywordAnalysis, searcher: Searcher, language: str, is_word: Callable[[str], bool]
    ) -> None:
        self._analysis = analysis
        self._searcher = searcher
        self._is_word = is_word
        self._is_english = language == DEFAULT_LANGUAGE
        self._shortest = _SHORTEST if self._is_english else _SHORTEST_ELSEWHERE
        self._has_capital_nouns = language in CAPITALISE_NOUNS

    def respelled(self, question: str) -> str:
        """The question with corrected words; unchanged if its words are known, or nothing is near them."""
        spans = list(word_spans(question))
        unknown = self._unknown([question[start:stop] for start, stop in spans])
        respelt, end = "", 0
        for at in unknown:
            joined, (start, stop) = self._joined(question, spans, at)
            if start >= end and (nearest := joined or self._nearest(question[start:stop])):
                respelt, end = f"{respelt}{question[end:start]}{nearest}", stop
        return respelt + question[end:]

    def _unknown(self, words: Sequence[str]) -> list[int]:
        """The indexes of words that may be corrected: letters only, no stop words, no names, and on no page."""
        found: list[int] = []
        for at, word in enumerate(words):
            if len(found) == _MOST:
                break
            is_name = word[0].isupper() and at > 0 and not self._has_capital_nouns
            if not is_name and word.isalpha() and (not word[1:] or word[1:].islower()) and self._known(word) == 0:
                found.append(at)
        return found

    def _known(self, word: str) -> int | None:
        """How many entries have the word; None if it is not a single term, such as a stop word."""
        terms = self._terms(word)
        if len(terms) != 1:
            return None
        return max(self._searcher.doc_freq(field, terms[0]) for field in ("text", "title"))

    def _joined(self, question: str, spans: Sequence[Span], at: int) -> tuple[str, Span]:
        """Join the word at index `at` with the one after or before it, if pages have the result; return that and the
        span of both. Otherwise "" and the word's own span."""
        for first, second in ((at, at + 1), (at - 1, at)):
            if first < 0 or second == len(spans):
                continue
            (start, stop), (begin, end) = spans[first], spans[second]
            joined = question[start:stop] + question[begin:end].lower()
            is_one = question[stop:begin] == " " and joined.isalpha() and len(joined) >= self._shortest
            if is_one and self._is_written(joined):
                return joined, (start, end)
        return "", spans[at]

    def _is_written(self, joined: str) -> bool:
        """Whether pages have the word; in English, unstemmed or as a common word: "for me" is no form of "form"."""
        is_own_stem = self._terms(joined) == [joined.casefold()]
        return bool(self._known(joined)) and (not self._is_english or is_own_stem or self._is_common(joined))

    def _nearest(self, word: str) -> str:
        """The corrected word, or "". Exchanged letters are tried first: they least often make another word by chance,
        so the result need not be on a page, because models may know it."""
        if len(word) < self._shortest or self._is_common(word):
            return ""
        exchanged = list(filter(self._is_common, _exchanged(word)))
        return (
            self._commonest(word, exchanged)
            or next(iter(exchanged), "")
            or self._commonest(word, filter(self._is_common, (*_moved(word), *_changed(word))))
            or self._commonest(word, self._of_near_stem(word))
        )

    def _is_common(self, word: str) -> bool:
        return self._is_english and self._is_word(word.casefold())

    def _of_near_stem(self, word: str) -> Iterator[str]:
        """Spellings whose term differs from the word's by a letter: a different ending alone makes no other word."""
        near = {near for term in self._terms(word) for near in (*_moved(term), *_changed(term))}
        near |= {f"{term[:-1]}i" for term in near if term.endswith("y")}  # like the ends of English stems
        yield from (each for each in _moved(word) if near.intersection(self._terms(each)))

    def _terms(self, word: str) -> list[str]:
        return self._analysis.question_terms(word)

    def _commonest(self, word: str, spellings: Iterable[str]) -> str:
        """The spelling that most entries of the pages have, or "". Spellings with all letters of the word count more: a
        letter that was left out or exchanged is one of a few, a wrong one may be any of the alphabet."""
        found, most, letters = "", 0, sorted(word)
        for spelling in dict.fromkeys(spellings):
            is_likely = len(spelling) > len(word) or sorted(spelling) == letters
            known = (self._known(spelling) or 0) * (_LIKELY if is_likely else 1)
            if known > most:
                found, most = spelling, known
        return found


def _moved(word: str) -> Iterator[str]:
    """All spellings with two neighbouring letters exchanged, a letter left out, or one added."""
    yield from _exchanged(word)
    yield from _with_one_less(word)
    yield from _with_one_more(word)


def _exchanged(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1))


def _with_one_less(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(1, len(word)))


def _with_one_more(word: str) -> Iterator[str]:
    return (word[:at] + letter + word[at:] for at in range(1, len(word) + 1) for letter in _alphabet(word))


def _changed(word: str) -> Iterator[str]:
    """All spellings with one letter replaced by another."""
    return (word[:at] + letter + word[at + 1 :] for at in range(1, len(word)) for letter in _alphabet(word))


def _alphabet(word: str) -> str:
    return next((letters for letters in _ALPHABETS if word[-1] in letters), "")
