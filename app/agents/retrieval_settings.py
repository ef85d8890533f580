"""An agent's search settings: every stage, with its switch."""

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.search_filter import SearchFilter


class FusionMethod(StrEnum):
    SCORE = "score"  # weighted z(cosine) + z(bm25) + z(best bm25 of the document) + z(logit)
    RRF = "rrf"  # reciprocal rank fusion


class RerankMode(StrEnum):
    AUTO = "auto"  # a vote for a reranker that the operator has set up, and for the shipped one if a chat model answers
    OFF = "off"
    VOTE = "vote"  # the cross-encoder votes in addition to cosine and BM25
    JUDGE = "judge"  # the reranker decides alone: for strong hosted rerankers
    MODEL = "model"  # the chat model decides alone


class ConfidenceScale(StrEnum):
    COMBINED = "combined"  # cosine, word coverage, logit and focus together
    RERANKER = "reranker"  # a sigmoid of the logit alone: for strong hosted rerankers


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Defaults follow the measurements in docs/evaluation.md. Weights are >= 0 unless their line says otherwise; 0
    switches a stage off.

    The query. `follow_ups`: a question that depends on the history is made self-contained. `split_long_questions`: a
    text longer than the embedder reads is searched for part by part. `extra_queries` (0 to 5) wordings and their
    keywords, and a `hypothetical_answer`, come from the chat model, each with `extra_weight` relative to the question.
    `model_searches` (0 to 3): how often the chat model may search again after reading what was found.

    Recall and fusion. `filter` selects the pages that may be found. `recall_per_list` chunks come from each index.
    `document_weight` is the weight, beside a chunk's own scores, of the best BM25 among the chunks of its document: a
    page about the question vouches for its passages (score fusion only). `foreign_weight` in [0, 1] multiplies the
    weights of vectors and reranker for a question in a language that their models do not read.

    Ranking. The reranker sees the best `rerank_candidates` of the fused list, within `rerank_budget_ms`, or
    `model_rank_budget_ms` if the chat model ranks; without a chat model, the shipped one reads the best
    `rerank_passages` again before one of them is quoted. `focus_weight` is the weight of the share of the first ten
    candidates that are from a chunk's page. On an order from 0 (last) to 1 (first), these are added: `page_boost` for
    the visitor's current page, `topic_weight` for how near the whole page is to the question, `freshness_weight` in
    [-1, 1] for the newest page against the oldest (below 0: for the oldest), `engagement_weight` for the ratings of
    answers from the page, `exploration` for chance, the same all day; `spam_weight` is subtracted for text that
    repeats itself.

    Selection. Confidence comes from `confidence_from`; `confidence_steepness` is the k > 0 of the reranker's
    sigmoid(logit / k): the larger, the flatter. With `needs_two_survivors`, one chunk alone is never enough, whatever
    its confidence. Up to `sources` chunks reach the answer, each with up to `neighbours` (0 to 2) chunks before and
    after it, as long as all stay within `source_tokens`.
    """

    follow_ups: bool = True
    split_long_questions: bool = True
    extra_queries: int = 0
    hypothetical_answer: bool = False
    extra_weight: float = 0.5
    model_searches: int = 0

    filter: SearchFilter = field(default_factory=SearchFilter)
    recall_per_list: int = 50
    fusion: FusionMethod = FusionMethod.SCORE
    vector_weight: float = 1.5
    foreign_weight: float = 0.5
    keyword_weight: float = 1.0
    document_weight: float = 0.5
    rrf_k: int = 60
    collapse_documents: bool = False

    rerank: RerankMode = RerankMode.AUTO
    rerank_weight: float = 0.25
    rerank_candidates: int = 18
    rerank_budget_ms: int = 1500
    rerank_passages: int = 8
    model_rank_budget_ms: int = 5000
    focus_weight: float = 0.1
    page_boost: float = 0.15
    topic_weight: float = 0.0
    freshness_weight: float = 0.0
    engagement_weight: float = 0.0
    spam_weight: float = 0.0
    exploration: float = 0.0

    confidence_from: ConfidenceScale = ConfidenceScale.COMBINED
    confidence_steepness: float = 2.5
    needs_two_survivors: bool = False
    sources: int = 6
    neighbours: int = 0
    source_tokens: int = 3000
