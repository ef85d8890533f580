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
    "follow_ups": "Completes a question that depends on the conversation before searching for it.",
    "split_long_questions": "Searches part by part for a text that is too long for the embedder.",
    "extra_queries": "How many other wordings, each with its keywords, the chat model adds; 0 to 5.",
    "hypothetical_answer": "The chat model writes what the answer could look like, and search looks for its "
    "meaning as well.",
    "extra_weight": "Weight of each other wording, relative to the question itself; 0 to 10.",
    "model_searches": "How often the chat model, after reading what was found, may search for what is missing; 0 to 3.",
    "filter": "",
    "recall_per_list": "Chunks to find by meaning, and chunks to find by keywords; 1 to 200.",
    "fusion": "How the two lists are combined: weighted scores, or reciprocal ranks (rrf).",
    "vector_weight": "Weight of meaning; 0 to 10.",
    "foreign_weight": "Share of the weight of vectors and reranker that remains in a language that their models "
    "do not read; 0 to 1.",
    "keyword_weight": "Weight of keywords; 0 to 10.",
    "rrf_k": "For reciprocal ranks only: the larger, the less the first ranks count; 1 to 1000.",
    "rerank": "Who ranks the candidates again: auto (your own reranker has one vote), off, vote, judge or model.",
    "document_weight": "How much the best chunk of a page raises its other chunks, with weighted scores; 0 to 10.",
    "focus_weight": "Raises pages that have many of the first ten candidates; 0 to 10.",
    "rerank_weight": "Weight of the reranker's vote; 0 to 10.",
    "rerank_candidates": "How many candidates the reranker reads; 1 to 100.",
    "rerank_budget_ms": "Time for the reranker, in milliseconds. After that, the previous order applies.",
    "rerank_passages": "How many passages the shipped reranker reads before one is quoted; 0 to 12.",
    "model_rank_budget_ms": "Time for the chat model when it ranks, in milliseconds.",
    "collapse_documents": "The reranker reads only the best chunk of each page.",
    "page_boost": "Raises the visitor's current page. Affects only the order, never the confidence; 0 to 1.",
    "topic_weight": "Raises chunks whose page as a whole is close to the question; 0 to 1.",
    "freshness_weight": "Above 0 prefers newer pages, below 0 older ones; -1 to 1.",
    "engagement_weight": "Raises or lowers pages by the thumbs that answers from them got; 0 to 1.",
    "spam_weight": "Lowers text that repeats the same words; 0 to 1.",
    "exploration": "Adds chance to the order, the same for a question all day; 0 to 0.2.",
    "confidence_from": "What the confidence is based on: all signals together, or only the reranker, for a strong "
    "hosted one.",
    "confidence_steepness": "For confidence from the reranker only: the larger, the flatter its scale; 0.1 to 100.",
    "needs_two_survivors": "One chunk above the threshold is not enough, however certain.",
    "sources": "How many chunks reach the answer; 1 to 20.",
    "neighbours": "How many chunks before and after each are added; 0 to 2.",
    "source_tokens": "Maximum tokens of all these chunks together; 100 to 100000.",
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
