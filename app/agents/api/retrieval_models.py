"""An agent's search settings, and the filter of its pages, as JSON."""

from typing import Any, Final, get_type_hints
from uuid import UUID

from pydantic import Field

from app.agents import agent_rules as rules
from app.agents.retrieval_settings import RetrievalSettings
from app.core.search_filter import AttributeFilter, SearchFilter
from app.web.model import Day, Model, with_fields


class SearchFilterModel(Model):
    sources: tuple[UUID, ...] = Field(default=(), max_length=rules.MAX_FILTER_ENTRIES)
    path_prefixes: tuple[str, ...] = Field(
        default=(),
        description='Prefixes such as "/docs/", compared with the path of a page\'s URL.',
        max_length=rules.MAX_FILTER_ENTRIES,
    )
    languages: tuple[str, ...] = Field(
        default=(), description='Language codes, such as "en" and "de".', max_length=rules.MAX_FILTER_ENTRIES
    )
    dated_from: Day | None = Field(default=None, description="The earliest date that a page may have.")
    dated_to: Day | None = Field(default=None, description="The latest date that a page may have.")
    attributes: tuple[AttributeFilter, ...] = Field(
        default=(),
        description="For documents that were added with attributes: for each name, a document must have one of its "
        "values.",
        max_length=rules.MAX_FILTER_ENTRIES,
    )

    def value(self) -> SearchFilter:
        return SearchFilter(**dict(self))


# Descriptions of the settings. `filter` describes its own fields.
_MEANINGS: Final = {
    "follow_ups": "A question that leans on the conversation is made whole before it is searched for.",
    "split_long_questions": "A text that is longer than the embedder reads is searched for part by part.",
    "extra_queries": "So many other wordings, and their keywords, are asked of the chat model; 0 to 5.",
    "hypothetical_answer": "The chat model writes what the answer could look like, and its meaning is searched for as "
    "well.",
    "extra_weight": "What each other wording counts against the question itself; 0 to 10.",
    "model_searches": "So often may the chat model, having read what was found, search for what is missing; 0 to 3.",
    "filter": "",
    "recall_per_list": "Chunks from each index, by meaning and by words; 1 to 200.",
    "fusion": "How the two lists become one: weighted scores, or reciprocal ranks (rrf).",
    "vector_weight": "What meaning counts; 0 to 10.",
    "foreign_weight": "What is left of vectors and reranker in a language that their models do not read; 0 to 1.",
    "keyword_weight": "What words count; 0 to 10.",
    "rrf_k": "Of reciprocal ranks alone: the larger, the less the first places count; 1 to 1000.",
    "rerank": "Who reads the candidates again: auto (one vote of your own reranker), off, vote, judge, model.",
    "document_weight": "What the best chunk of a page counts for its other chunks, with weighted scores; 0 to 10.",
    "focus_weight": "What a page counts that many of the first ten candidates are of; 0 to 10.",
    "rerank_weight": "What the vote of the reranker counts; 0 to 10.",
    "rerank_candidates": "So many candidates are read again; 1 to 100.",
    "rerank_budget_ms": "Milliseconds for reading again; past them the order before stands.",
    "rerank_passages": "So many passages does the shipped reranker read before one is quoted; 0 to 12.",
    "model_rank_budget_ms": "The same where the chat model ranks.",
    "collapse_documents": "The best chunk of each page alone is read again.",
    "page_boost": "What the visitor's current page counts; order only, never confidence; 0 to 1.",
    "topic_weight": "What it counts how near the whole page is to the question; 0 to 1.",
    "freshness_weight": "Above 0 newer pages are preferred, below 0 older ones; -1 to 1.",
    "engagement_weight": "What the thumbs count that answers from the page got; 0 to 1.",
    "spam_weight": "What is taken from text that says the same words again and again; 0 to 1.",
    "exploration": "Chance, the same for a question all day; 0 to 0.2.",
    "confidence_from": "What confidence is made of: all signals together, or the reranker alone, for a strong hosted "
    "one.",
    "confidence_steepness": "Of the reranker alone: the larger, the flatter its scale; 0.1 to 100.",
    "needs_two_survivors": "One chunk above the threshold is too little, however sure.",
    "sources": "Chunks that reach the answer; 1 to 20.",
    "neighbours": "Each with so many chunks before and after it; 0 to 2.",
    "source_tokens": "All of them stay within so many tokens; 100 to 100000.",
}
_TYPES, _DEFAULTS = get_type_hints(RetrievalSettings), RetrievalSettings()


def _field(name: str) -> tuple[Any, Any]:
    """With the type and default of the setting."""
    if name == "filter":
        return SearchFilterModel, Field(default_factory=SearchFilterModel)
    return _TYPES[name], Field(default=getattr(_DEFAULTS, name), description=_MEANINGS[name])


@with_fields({name: _field(name) for name in _MEANINGS})
class RetrievalModel(Model):
    """The agent's search settings. docs/search.md explains and measures them."""
