"""The search that visitors get, put together from the parts that a house has."""

from dataclasses import dataclass

from app.answering.agent_search import AgentSearch
from app.answering.long_question import LongQuestionSplitter
from app.answering.model_query_planner import ModelQueryPlanner
from app.answering.model_ranker import ModelRanker
from app.answering.model_search import ModelSearchRetriever
from app.answering.order_adjustments import order_adjustments
from app.answering.query_planner import QueryPlanner
from app.answering.recall import Recall
from app.answering.retrieval_cache import CachedRetriever
from app.answering.retriever import HybridRetriever, Retriever
from app.answering.widened_sources import WideningRetriever
from app.domain.retrieval_settings import RerankMode
from app.ports.cache import Cache
from app.ports.chat_model import ChatModel
from app.ports.clock import Clock
from app.ports.embedder import Embedder
from app.ports.keyword_index import KeywordIndex
from app.ports.language_guesser import LanguageGuesser
from app.ports.reranker import Reranker
from app.ports.token_counter import TokenCounter
from app.ports.vector_index import VectorIndex
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class SearchParts:
    """`model` is None where no chat model is set: what needs one is then left out. `helper` does what visitors do not
    read; without one the model does. A reranker that is not the shipped one votes unless an agent says otherwise."""

    record: SystemOfRecord
    embedder: Embedder
    tokens: TokenCounter
    vectors: VectorIndex
    keywords: KeywordIndex
    reranker: Reranker
    clock: Clock
    model: ChatModel | None = None
    helper: ChatModel | None = None
    is_reranker_shipped: bool = True

    def fresh(self) -> Retriever:
        """Ranks anew each time."""
        ranked = self._hybrid()
        return ModelSearchRetriever(ranked, self.helping) if self.helping else ranked

    @property
    def helping(self) -> ChatModel | None:
        return self.helper or self.model

    def _hybrid(self) -> HybridRetriever:
        rankers = {RerankMode.VOTE: self.reranker, RerankMode.JUDGE: self.reranker}
        if not self.is_reranker_shipped:
            rankers[RerankMode.AUTO] = self.reranker
        planners: list[QueryPlanner] = [LongQuestionSplitter(self.embedder, self.tokens)]
        if self.helping is not None:
            rankers[RerankMode.MODEL] = ModelRanker(self.helping)
            planners.append(ModelQueryPlanner(self.helping))
        recall = Recall(self.record, self.embedder, self.vectors, self.keywords)
        adjustments = order_adjustments(self.record, self.clock)
        return HybridRetriever(recall, self.keywords, rankers, adjustments, planners)

    def for_turns(self, cache: Cache) -> Retriever:
        """Rankings are kept for a while; sources are told with what stands around them."""
        return self._widening(CachedRetriever(self.fresh(), cache, self.record))

    def for_operators(self, cache: Cache, languages: LanguageGuesser) -> AgentSearch:
        fresh = self.fresh()
        return AgentSearch(self.record, self._widening(fresh), CachedRetriever(fresh, cache, self.record), languages)

    def _widening(self, inner: Retriever) -> Retriever:
        return WideningRetriever(inner, self.record, self.tokens)
