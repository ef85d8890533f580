"""Tantivy queries for a question's terms, and the weights of the terms."""

import itertools
import math
from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from tantivy import Occur, Query, Schema, Searcher

from app.core.text.typed_words import edits_forgiven
from app.providers.indexes.keyword_analysis import Spellings, TypedWord

_TITLE_BOOST: Final = 0.2  # the context line in the text repeats the title
_MAX_TERMS: Final = 32

# Weights for a text being typed: BM25 of a whole word by field, else one score for all that begin with it or are near.
_WHOLE: Final = {"title": 2.0, "text": 1.0}
_BEGUN: Final = {"title": 1.2, "text": 0.6}
_NEAR: Final = {"title": 0.6, "text": 0.3}
_SHORTEST_STEM: Final = 4
_LONGEST_ENDING: Final = 5  # the longest ending that a stemmer may have cut off


def query_for(
    words: Sequence[Spellings], schema: Schema, searcher: Searcher, among: Collection[UUID] | None
) -> Query | None:
    """None if the index has none of the words. With `among`, only entries of these document versions are found."""
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
    """Matches entries with all of the typed words, or any of them. A last word that may be a stop word ("refund the",
    "refund the|me") only adds to the others."""
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
    """The longest term that begins the typed word: "organisati" is on its way to a word with the stem "organis"."""
    if not word.goes_on:
        return []
    shortest = max(_SHORTEST_STEM, len(word.folded) - _LONGEST_ENDING)
    shorter = (word.folded[:end] for end in range(len(word.folded) - 1, shortest - 1, -1))
    return next(([stem] for stem in shorter if searcher.doc_freq(field, stem)), [])


class Coverage:
    """How much of a question's words a text has: the rarer a word is in texts, the more it counts, and a word is as
    rare as its commonest spelling."""

    def __init__(self, words: Sequence[Spellings], searcher: Searcher) -> None:
        self.weights = {term: _idf(searcher, term) for term in _terms_of(words)}
        self._words = [[(terms, sum(map(self.weights.__getitem__, terms))) for terms in each] for each in words]
        counted = sum(min(weight for _, weight in each) for each in self._words)
        self._whole = counted + _idf_of(0, searcher.num_docs)  # and a word that no text has

    def share(self, held: Collection[str]) -> float:
        """In [0, 1), of a text with these of the terms; of each word by the spelling of which it has most."""
        return sum(map(self._part, self._words, itertools.repeat(held))) / self._whole

    def _part(self, spellings: Sequence[tuple[tuple[str, ...], float]], held: Collection[str]) -> float:
        shares = (sum(self.weights[term] for term in terms if term in held) / weight for terms, weight in spellings)
        return min(weight for _, weight in spellings) * max(shares)


def _terms_of(words: Sequence[Spellings]) -> list[str]:
    """Of every spelling, each once, in order."""
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
    """The same hits and scores, of these versions only."""
    wanted = Query.term_set_query(schema, "document_version_id", [str(number) for number in document_version_ids])
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(wanted, 0.0))])


def _idf(searcher: Searcher, term: str) -> float:
    """As in BM25 (Robertson and Sparck Jones, with + 1 so that it is never negative)."""
    # Entries that were replaced count until their segment is merged, so more may be found than there are.
    return _idf_of(searcher.doc_freq("text", term), searcher.num_docs)


def _idf_of(found: int, of: int) -> float:
    return math.log(1 + (max(0, of - found) + 0.5) / (found + 0.5))
