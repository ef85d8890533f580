"""What an agent's search may be set to, and which pages it may find, as JSON."""

from uuid import UUID

from pydantic import Field

from app.agents import agent_rules as rules
from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings
from app.core.search_filter import AttributeFilter, SearchFilter
from app.web.model import Day, Model

_RETRIEVAL = RetrievalSettings()


class SearchFilterModel(Model):
    sources: tuple[UUID, ...] = Field(default=(), max_length=rules.MAX_FILTER_ENTRIES)
    path_prefixes: tuple[str, ...] = Field(
        default=(),
        description='"/docs/", ...: compared with the path of a page\'s URL.',
        max_length=rules.MAX_FILTER_ENTRIES,
    )
    languages: tuple[str, ...] = Field(default=(), description='"en", "de", ...', max_length=rules.MAX_FILTER_ENTRIES)
    dated_from: Day | None = Field(default=None, description="The first day that a page may name as its own.")
    dated_to: Day | None = Field(default=None, description="The last one.")
    attributes: tuple[AttributeFilter, ...] = Field(
        default=(),
        description="Of documents that were given with attributes: each name must have one of its values.",
        max_length=rules.MAX_FILTER_ENTRIES,
    )

    def value(self) -> SearchFilter:
        return SearchFilter(**dict(self))


class RetrievalModel(Model):
    """How the agent searches; docs/search.md has the reasons and the measurements."""

    follow_ups: bool = Field(
        default=_RETRIEVAL.follow_ups,
        description="A question that leans on the conversation is made whole before it is searched for.",
    )
    split_long_questions: bool = Field(
        default=_RETRIEVAL.split_long_questions,
        description="A text that is longer than the embedder reads is searched for part by part.",
    )
    extra_queries: int = Field(
        default=_RETRIEVAL.extra_queries,
        description="So many other wordings, and their keywords, are asked of the chat model; 0 to 5.",
    )
    hypothetical_answer: bool = Field(
        default=_RETRIEVAL.hypothetical_answer,
        description="The chat model writes what the answer could look like, and its meaning is searched for as well.",
    )
    extra_weight: float = Field(
        default=_RETRIEVAL.extra_weight,
        description="What each other wording counts against the question itself; 0 to 10.",
    )
    model_searches: int = Field(
        default=_RETRIEVAL.model_searches,
        description="So often may the chat model, having read what was found, search for what is missing; 0 to 3.",
    )
    filter: SearchFilterModel = Field(default_factory=SearchFilterModel)
    recall_per_list: int = Field(
        default=_RETRIEVAL.recall_per_list, description="Chunks from each index, by meaning and by words; 1 to 200."
    )
    fusion: FusionMethod = Field(
        default=_RETRIEVAL.fusion,
        description="How the two lists become one: weighted scores, or reciprocal ranks (rrf).",
    )
    vector_weight: float = Field(default=_RETRIEVAL.vector_weight, description="What meaning counts; 0 to 10.")
    foreign_weight: float = Field(
        default=_RETRIEVAL.foreign_weight,
        description="What is left of vectors and reranker in a language that their models do not read; 0 to 1.",
    )
    keyword_weight: float = Field(default=_RETRIEVAL.keyword_weight, description="What words count; 0 to 10.")
    rrf_k: int = Field(
        default=_RETRIEVAL.rrf_k,
        description="Of reciprocal ranks alone: the larger, the less the first places count; 1 to 1000.",
    )
    rerank: RerankMode = Field(
        default=_RETRIEVAL.rerank,
        description="Who reads the candidates again: auto (one vote of your own reranker), off, vote, judge, model.",
    )
    document_weight: float = Field(
        default=_RETRIEVAL.document_weight,
        description="What the best chunk of a page counts for its other chunks, with weighted scores; 0 to 10.",
    )
    focus_weight: float = Field(
        default=_RETRIEVAL.focus_weight,
        description="What a page counts that many of the first ten candidates are of; 0 to 10.",
    )
    rerank_weight: float = Field(
        default=_RETRIEVAL.rerank_weight, description="What the vote of the reranker counts; 0 to 10."
    )
    rerank_candidates: int = Field(
        default=_RETRIEVAL.rerank_candidates, description="So many candidates are read again; 1 to 100."
    )
    rerank_budget_ms: int = Field(
        default=_RETRIEVAL.rerank_budget_ms,
        description="Milliseconds for reading again; past them the order before stands.",
    )
    rerank_passages: int = Field(
        default=_RETRIEVAL.rerank_passages,
        description="So many passages does the shipped reranker read before one is quoted; 0 to 12.",
    )
    model_rank_budget_ms: int = Field(
        default=_RETRIEVAL.model_rank_budget_ms, description="The same where the chat model ranks."
    )
    collapse_documents: bool = Field(
        default=_RETRIEVAL.collapse_documents, description="The best chunk of each page alone is read again."
    )
    page_boost: float = Field(
        default=_RETRIEVAL.page_boost,
        description="What the visitor's current page counts; order only, never confidence; 0 to 1.",
    )
    topic_weight: float = Field(
        default=_RETRIEVAL.topic_weight,
        description="What it counts how near the whole page is to the question; 0 to 1.",
    )
    freshness_weight: float = Field(
        default=_RETRIEVAL.freshness_weight,
        description="Above 0 newer pages are preferred, below 0 older ones; -1 to 1.",
    )
    engagement_weight: float = Field(
        default=_RETRIEVAL.engagement_weight,
        description="What the thumbs count that answers from the page got; 0 to 1.",
    )
    spam_weight: float = Field(
        default=_RETRIEVAL.spam_weight,
        description="What is taken from text that says the same words again and again; 0 to 1.",
    )
    exploration: float = Field(
        default=_RETRIEVAL.exploration, description="Chance, the same for a question all day; 0 to 0.2."
    )
    confidence_from: ConfidenceScale = Field(
        default=_RETRIEVAL.confidence_from,
        description="What confidence is made of: all signals together, or the reranker alone, for a strong hosted one.",
    )
    confidence_steepness: float = Field(
        default=_RETRIEVAL.confidence_steepness,
        description="Of the reranker alone: the larger, the flatter its scale; 0.1 to 100.",
    )
    needs_two_survivors: bool = Field(
        default=_RETRIEVAL.needs_two_survivors, description="One chunk above the threshold is too little, however sure."
    )
    sources: int = Field(default=_RETRIEVAL.sources, description="Chunks that reach the answer; 1 to 20.")
    neighbours: int = Field(
        default=_RETRIEVAL.neighbours, description="Each with so many chunks before and after it; 0 to 2."
    )
    source_tokens: int = Field(
        default=_RETRIEVAL.source_tokens, description="All of them stay within so many tokens; 100 to 100000."
    )
