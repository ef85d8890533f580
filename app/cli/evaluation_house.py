"""An installation for one evaluation: the set's documents, read by the real ingest and searched by the real search."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import quote
from uuid import UUID

from app.agents.agent import AgentConfig, LiveAgent
from app.agents.records import AgentRecords
from app.agents.retrieval_settings import RetrievalSettings
from app.bootstrap.answering import configured_models, search_parts
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import Knowledge, open_knowledge
from app.cli.local_operator import local_operator
from app.core.chunk import RankedChunk, stage_orders
from app.knowledge.document import PageContent
from app.knowledge.given_chunks import CutPage
from app.providers.chat.chat_model import ChatModel
from app.providers.reranking.reranker import PairScore, Reranker
from app.quality.evaluation.evaluation import Hit, StagedRanking, StagedSearch
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetChunk, SetDocument
from app.search.retrieval import SearchQuery
from app.settings import Settings
from app.sources.kinds import TEXT
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.transaction import Transaction, batches

_SITE = "https://evaluation.example/"
_PAGES_A_BATCH = 64
_PATIENT_MS = 60_000  # budget of the reranker, so long that a busy machine does not change the figures

OnLearnt = Callable[[int], None]


class EvaluationHouse:
    """Implements StagedSearch and ChangeableSearch, with one agent for each language of the set."""

    def __init__(
        self,
        base: Infrastructure,
        knowledge: Knowledge,
        of: EvaluationSet,
        retrieval: RetrievalSettings,
        model: ChatModel | None,
        helper: ChatModel | None = None,
    ) -> None:
        self._base = base
        self._knowledge = knowledge
        self._set = of
        self.settings = replace(retrieval, rerank_budget_ms=_PATIENT_MS)
        self.has_model = model is not None
        self._config = AgentConfig(name=of.name, retrieval=self.settings)
        parts = search_parts(base, model, helper)
        self._retriever = replace(parts, reranker=RememberingReranker(parts.reranker)).fresh()
        self._agents: dict[str | None, LiveAgent] = {}
        self._documents: dict[str, str] = {}  # by URL
        self._chunk_ids: dict[tuple[str, int], str] = {}  # by URL and position

    async def learn(self, on_learnt: OnLearnt | None = None) -> None:
        """Index the set's own chunks, or its documents if it has none. `on_learnt` receives the number of documents
        so far."""
        chunks: dict[str, list[SetChunk]] = defaultdict(list)
        for chunk in self._set.chunks:
            chunks[chunk.document_id].append(chunk)
        for language in self._set.languages:
            agent, source_id = await self._agent(language)
            self._agents[language] = agent
            documents = [document for document in self._set.documents if document.language == language]
            for some in batches(documents, _PAGES_A_BATCH):
                if chunks:
                    await self._learn_chunks(agent.id, source_id, some, chunks)
                else:
                    await self._learn_pages(agent.id, source_id, some)
                if on_learnt:
                    on_learnt(len(self._documents))

    async def search(self, question: Question) -> StagedRanking:
        return await self.search_by(self.settings, question)

    def by(self, settings: RetrievalSettings) -> StagedSearch:
        return _BySettings(self, settings)

    async def search_by(self, settings: RetrievalSettings, question: Question) -> StagedRanking:
        agent = self._agents.get(question.language) or next(iter(self._agents.values()))
        agent = replace(agent, config=replace(agent.config, retrieval=settings))
        query = SearchQuery(question.text, language=agent.config.language, asked_in=question.language)
        found = await self._retriever.retrieve(agent, query)
        stages = found.trace["stages"]
        return StagedRanking(
            stages={stage: [self._hit(item) for item in order] for stage, order in stage_orders(found.ranked).items()},
            confidence=found.best,
            is_low_confidence=found.is_low_confidence,
            was_degraded=bool(found.trace.get("missing")),
            milliseconds={stage["stage"]: stage["ms"] for stage in stages},
            pairs=sum(stage.get("read", 0) for stage in stages),
        )

    def _hit(self, item: RankedChunk) -> Hit:
        url = item.chunk.url
        return Hit(self._documents[url], self._chunk_ids.get((url, item.chunk.position), ""))

    async def _agent(self, language: str | None) -> tuple[LiveAgent, UUID]:
        """Create and publish an agent; return it with the id of a source for its documents."""
        actor = await local_operator(self._base)

        def work(tx: Transaction) -> tuple[LiveAgent, UUID]:
            made = AgentRecords(tx).create(actor.workspace_id, replace(self._config, language=language))
            AgentRecords(tx).publish(actor.workspace_id, made.id)
            source = SourceRecords(tx).create(made.id, SourceConfig(TEXT, self._set.name))
            return AgentRecords(tx).live(made.id), source.id

        return await self._base.record.of_workspace(actor.workspace_id).write(work)

    async def _learn_chunks(
        self, agent_id: UUID, source_id: UUID, documents: Sequence[SetDocument], chunks: dict[str, list[SetChunk]]
    ) -> None:
        pages = []
        for document in documents:
            page, own = self._page(document), chunks[document.id]
            self._chunk_ids |= {(page.url, position): chunk.id for position, chunk in enumerate(own)}
            pages.append(CutPage(page, tuple((chunk.text, chunk.headings) for chunk in own)))
        await self._knowledge.given_chunks.learn(agent_id, source_id, pages)

    async def _learn_pages(self, agent_id: UUID, source_id: UUID, documents: Sequence[SetDocument]) -> None:
        for document in documents:
            await self._knowledge.ingest.learn(agent_id, source_id, self._page(document))

    def _page(self, document: SetDocument) -> PageContent:
        url = _SITE + quote(document.id)
        self._documents[url] = document.id
        return PageContent(url, document.title, document.text or "", language=document.language, site=document.site)


@dataclass(frozen=True, slots=True)
class _BySettings:
    house: EvaluationHouse
    settings: RetrievalSettings

    async def search(self, question: Question) -> StagedRanking:
        return await self.house.search_by(self.settings, question)


@asynccontextmanager
async def open_evaluation_house(
    settings: Settings, of: EvaluationSet, retrieval: RetrievalSettings
) -> AsyncIterator[EvaluationHouse]:
    """`settings` should name a data folder that nothing else uses."""
    async with AsyncExitStack() as closing, open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        model, helper = configured_models(base, closing)
        yield EvaluationHouse(base, knowledge, of, retrieval, model, helper)


class RememberingReranker:
    """Scores each pair of question and text once with `inner` and keeps the score, for runs that ask the same questions
    under many settings."""

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str], PairScore] = {}

    @property
    def reads(self) -> frozenset[str] | None:
        return self._inner.reads

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        fresh = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
        scores = await self._inner.score(question, fresh, budget_seconds=budget_seconds)
        self._known |= {(question, text): score for text, score in zip(fresh, scores, strict=True)}
        return [self._known[question, text] for text in texts]
