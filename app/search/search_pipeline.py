"""The search that visitors get, composed from the parts of an installation."""

from dataclasses import dataclass

from app.agents.retrieval_settings import RerankMode
from app.kit.cache import Cache
from app.kit.language_guesser import LanguageGuesser
from app.providers.chat.chat_model import ChatModel
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.search_indexes import KeywordIndex, VectorSearch
from app.providers.reranking.reranker import Reranker
from app.providers.token_counter import TokenCounter
from app.search.agent_search import AgentSearch
from app.search.boosts import boosts
from app.search.candidates import CandidateFinder
from app.search.context_expansion import ContextExpandingRetriever
from app.search.model_ranker import ModelRanker
from app.search.model_search import ModelSearchRetriever
from app.search.query_planner import DetailWordings, LongQuestionSplitter, ModelQueryPlanner, QueryPlanner
from app.search.question_reader import QuestionReader, QuestionTranslator
from app.search.retrieval_cache import CachedRetriever
from app.search.retriever import HybridRetriever, Retriever
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class SearchParts:
    """`helper` is the chat model for text that visitors do not read; what needs it is left out without one. A reranker
    votes unless the agent says otherwise, the shipped one only if a chat model answers."""

    record: SystemOfRecord
    embedder: Embedder
    tokens: TokenCounter
    vectors: VectorSearch
    keywords: KeywordIndex
    reranker: Reranker
    helper: ChatModel | None = None
    is_reranker_shipped: bool = True

    def fresh(self) -> Retriever:
        """A retriever without a cache."""
        ranked = self._hybrid()
        return ModelSearchRetriever(ranked, self.helper) if self.helper else ranked

    def _hybrid(self) -> HybridRetriever:
        rankers = {RerankMode.VOTE: self.reranker, RerankMode.JUDGE: self.reranker}
        # A chat model relies on the order of its sources; without one, the reranker reads their passages later.
        if not self.is_reranker_shipped or self.helper is not None:
            rankers[RerankMode.AUTO] = self.reranker
        planners: list[QueryPlanner] = [LongQuestionSplitter(self.embedder, self.tokens), DetailWordings()]
        if self.helper is not None:
            rankers[RerankMode.MODEL] = ModelRanker(self.helper)
            planners.append(ModelQueryPlanner(self.helper))
        finder = self.candidate_finder()
        adjustments = boosts(self.record)
        translator = QuestionTranslator(self.helper) if self.helper else None
        reader = QuestionReader(self.record, self.embedder, self.keywords, translator)
        return HybridRetriever(finder, self.keywords, rankers, adjustments, reader, planners)

    def candidate_finder(self) -> CandidateFinder:
        return CandidateFinder(self.record, self.embedder, self.vectors, self.keywords)

    def for_turns(self, cache: Cache) -> Retriever:
        """A retriever with cached rankings, and sources with their context."""
        return self._widening(CachedRetriever(self.fresh(), cache, self.record))

    def for_operators(self, cache: Cache, languages: LanguageGuesser) -> AgentSearch:
        fresh = self.fresh()
        return AgentSearch(self.record, self._widening(fresh), CachedRetriever(fresh, cache, self.record), languages)

    def _widening(self, inner: Retriever) -> Retriever:
        return ContextExpandingRetriever(inner, self.record, self.tokens)
