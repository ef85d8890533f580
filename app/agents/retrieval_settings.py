"""An agent's search settings: every stage, with its switch."""

from dataclasses import dataclass, field
from enum import StrEnum

from app.core.errors import InvalidInput
from app.core.search_filter import SearchFilter
from app.core.setting import check_limits, setting


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
    COMBINED = "combined"  # cosine, word coverage and logit together
    RERANKER = "reranker"  # a sigmoid of the logit alone: for strong hosted rerankers


class Group(StrEnum):
    """The parts of the console's form and of docs/search.md."""

    QUESTION = "The question"
    CANDIDATES = "Candidates"
    RANKING = "Ranking"
    ANSWER = "What reaches the answer"
    EXPERIMENTAL = "Experimental"


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Defaults follow the measurements in docs/evaluation-log.md. Weights are relative; 0 switches a stage off.

    On an order from 0 (last) to 1 (first), the weights that raise or lower a page are added, so each says how far a
    candidate can move.
    """

    follow_ups: bool = setting(
        True,
        label="Rewrite follow-up questions",
        meaning="Completes a question that depends on the conversation before searching for it.",
        group=Group.QUESTION,
    )
    split_long_questions: bool = setting(
        True,
        label="Split long questions",
        meaning="Searches part by part for a text that is too long for the embedder.",
        group=Group.QUESTION,
    )

    filter: SearchFilter = field(default_factory=SearchFilter)
    recall_per_list: int = setting(
        50,
        label="Chunks from each index",
        meaning="Chunks to find by meaning, and chunks to find by keywords.",
        group=Group.CANDIDATES,
        between=(1, 200),
    )
    fusion: FusionMethod = setting(
        FusionMethod.SCORE,
        label="Combine the two lists by",
        meaning="How the two lists are combined: weighted scores, or reciprocal ranks (rrf).",
        hint="Scores keep how near a passage is to the question; ranks only its place in each list.",
        group=Group.CANDIDATES,
        words={FusionMethod.SCORE: "weighted scores", FusionMethod.RRF: "reciprocal ranks"},
    )
    rrf_k: int = setting(
        60,
        label="Rank constant",
        meaning="For reciprocal ranks only: the larger, the less the first ranks count.",
        group=Group.CANDIDATES,
        between=(1, 1000),
    )
    vector_weight: float = setting(
        1.5,
        label="Weight of meaning",
        meaning="How much it counts that a passage says the same in other words.",
        group=Group.CANDIDATES,
        between=(0, 10),
    )
    keyword_weight: float = setting(
        1.0,
        label="Weight of keywords",
        meaning="How much it counts that a passage has the question's own words.",
        group=Group.CANDIDATES,
        between=(0, 10),
    )
    foreign_weight: float = setting(
        0.5,
        label="Weight of meaning in unread languages",
        meaning="Share of the weight of vectors and reranker that remains in a language that their models do not read.",
        group=Group.CANDIDATES,
        between=(0, 1),
    )
    document_weight: float = setting(
        0.5,
        label="Weight of the page's best chunk",
        meaning="How much the best chunk of a page raises its other chunks, with weighted scores.",
        group=Group.CANDIDATES,
        between=(0, 10),
    )

    rerank: RerankMode = setting(
        RerankMode.AUTO,
        label="Reranking",
        meaning="Who ranks the candidates again: auto (your own reranker has one vote), off, vote, judge or model.",
        hint="A second reading of the candidates together with the question, which may put another passage first.",
        group=Group.RANKING,
        words={
            RerankMode.AUTO: "automatic: one vote if it is your own reranker, or a chat model answers",
            RerankMode.OFF: "off",
            RerankMode.VOTE: "the reranker has one vote",
            RerankMode.JUDGE: "the reranker decides alone",
            RerankMode.MODEL: "the chat model decides",
        },
    )
    rerank_weight: float = setting(
        0.25,
        label="Weight of the reranker",
        meaning="How much its vote changes which passage answers.",
        group=Group.RANKING,
        between=(0, 10),
    )
    rerank_candidates: int = setting(
        18,
        label="Candidates to rerank",
        meaning="How many passages the reranker reads. For a vote, six are enough if one seems to answer.",
        group=Group.RANKING,
        between=(1, 100),
    )
    rerank_budget_ms: int = setting(
        1500,
        label="Reranking time limit, in ms",
        meaning="Time for the reranker, in milliseconds, after which the previous order applies.",
        group=Group.RANKING,
        between=(50, 30_000),
    )
    rerank_passages: int = setting(
        8,
        label="Passages to rerank before quoting",
        meaning="How many passages the shipped reranker reads before one is quoted: three if one is far ahead.",
        group=Group.RANKING,
        between=(0, 12),
    )
    model_rank_budget_ms: int = setting(
        5000,
        label="Chat model's time limit, in ms",
        meaning="Time for the chat model when it ranks, in milliseconds.",
        group=Group.RANKING,
        between=(50, 60_000),
    )
    page_boost: float = setting(
        0.15,
        label="Weight of the visitor's page",
        meaning="Raises the visitor's current page. Affects only the order, never the confidence.",
        group=Group.RANKING,
        between=(0, 1),
    )

    confidence_from: ConfidenceScale = setting(
        ConfidenceScale.COMBINED,
        label="Confidence comes from",
        meaning="What the confidence is based on: all signals together, or only the reranker, for a strong hosted one.",
        hint="Below the threshold, the agent says that it does not know.",
        group=Group.ANSWER,
        words={
            ConfidenceScale.COMBINED: "all signals together",
            ConfidenceScale.RERANKER: "the reranker alone, for a strong hosted one",
        },
    )
    confidence_steepness: float = setting(
        2.5,
        label="Scale of the reranker's confidence",
        meaning="For confidence from the reranker only, the k of sigmoid(logit / k): the larger, the flatter.",
        group=Group.ANSWER,
        between=(0.1, 100),
    )
    sources: int = setting(
        6,
        label="Chunks that reach the answer",
        meaning="How many passages an answer may rest on. With a chat model, more of them cost more tokens.",
        group=Group.ANSWER,
        between=(1, 20),
    )
    neighbours: int = setting(
        0,
        label="Chunks before and after each",
        meaning="How many chunks before and after each are added, while all stay within the maximum tokens.",
        group=Group.ANSWER,
        between=(0, 2),
    )
    source_tokens: int = setting(
        3000,
        label="Maximum tokens of all chunks",
        meaning="Maximum tokens of all these chunks together.",
        group=Group.ANSWER,
        between=(100, 100_000),
    )

    extra_queries: int = setting(
        0,
        label="Search for other wordings",
        meaning="How many other wordings, each with its keywords, the chat model adds.",
        group=Group.EXPERIMENTAL,
        between=(0, 5),
    )
    hypothetical_answer: bool = setting(
        False,
        label="Search for a hypothetical answer",
        meaning="The chat model writes what the answer could look like, and search looks for its meaning as well.",
        group=Group.EXPERIMENTAL,
    )
    extra_weight: float = setting(
        0.5,
        label="Weight of other wordings",
        meaning="Weight of each other wording, relative to the question itself.",
        group=Group.EXPERIMENTAL,
        between=(0, 10),
    )
    model_searches: int = setting(
        0,
        label="Let the chat model search again",
        meaning="How often the chat model, after reading what was found, may search for what is missing.",
        group=Group.EXPERIMENTAL,
        between=(0, 3),
    )
    answer_searches: int = setting(
        0,
        label="Let the answering model search",
        meaning="How often the chat model that writes the answer may search itself, with filters of its own.",
        group=Group.EXPERIMENTAL,
        between=(0, 3),
    )
    freshness_weight: float = setting(
        0.0,
        label="Weight of the page's age",
        meaning="Above 0 prefers newer pages, below 0 older ones.",
        group=Group.EXPERIMENTAL,
        between=(-1, 1),
    )
    engagement_weight: float = setting(
        0.0,
        label="Weight of thumbs",
        meaning="Raises or lowers pages by the thumbs that answers from them got.",
        group=Group.EXPERIMENTAL,
        between=(0, 1),
    )

    def check(self, at: str) -> None:
        """Raises InvalidInput, naming the field below `at` and the fix. `filter` is checked elsewhere."""
        check_limits(at, self)
        if self.vector_weight == self.keyword_weight == 0 and self.rerank is not RerankMode.JUDGE:
            raise InvalidInput(
                at + "vector_weight",
                "One of vector_weight and keyword_weight must be above 0, or search finds nothing.",
            )
