"""What a question's terms ask of a tantivy index, and how much each of them weighs there."""

import math
from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from tantivy import Occur, Query, Schema, Searcher

_TITLE_BOOST: Final = 0.2  # the context line in the text names the title already
_MAX_TERMS: Final = 32
_MAX_TERMS_WEIGHED: Final = 1_000  # of an endless question, only so many are looked at


def query_for(terms: Sequence[str], schema: Schema, searcher: Searcher, among: Collection[UUID] | None) -> Query | None:
    """None where the index holds none of the terms. With `among` only entries of these document versions are found."""
    known = _rarest_known(searcher, terms)
    if not known:
        return None
    query = _any_of(known, schema)
    return query if among is None else _among(schema, query, among)


def weights_of(terms: Sequence[str], searcher: Searcher) -> dict[str, float]:
    """The rarer a term is in texts, the more it weighs."""
    return {term: _idf(searcher, term) for term in terms[:_MAX_TERMS_WEIGHED]}


def weight_of_unknown(searcher: Searcher) -> float:
    """Of a term that no text has."""
    return _idf_of(0, searcher.num_docs)


def _rarest_known(searcher: Searcher, terms: Sequence[str]) -> list[str]:
    """What the index holds of the terms; the rarest where they are too many for one query."""
    weighed = terms[:_MAX_TERMS_WEIGHED]
    known = [term for term in weighed if any(searcher.doc_freq(field, term) for field in ("text", "title"))]
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
