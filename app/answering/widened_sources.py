"""Sources with what stands around them: a sentence is easier to understand on its page than alone."""

from collections.abc import Sequence
from dataclasses import replace

from app.answering.retrieval import Retrieval, SearchQuery, StageListener
from app.answering.retriever import Retriever
from app.domain.agent import LiveAgent
from app.domain.chunk import Chunk, RankedChunk
from app.domain.retrieval_settings import RetrievalSettings
from app.ports.records.transaction import SystemOfRecord
from app.ports.token_counter import TokenCounter


class WideningRetriever:
    """A Retriever that adds to each source of another one the chunks before and after it, best source first, while
    all sources stay within the agent's `source_tokens`. A chunk is told once, and the source's link stays its own."""

    def __init__(self, inner: Retriever, records: SystemOfRecord, tokens: TokenCounter) -> None:
        self._inner = inner
        self._records = records
        self._tokens = tokens

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        found = await self._inner.retrieve(agent, query, on_stage)
        settings = agent.config.retrieval
        if not settings.neighbours or not found.sources:
            return found
        ids = [item.chunk.id for item in found.sources]
        async with self._records.read() as records:
            around = await records.documents.around(agent.id, ids, settings.neighbours)
        return replace(found, sources=tuple(self._widened(found.sources, around, settings)))

    def _widened(
        self, sources: Sequence[RankedChunk], around: dict[str, list[Chunk]], settings: RetrievalSettings
    ) -> list[RankedChunk]:
        told = {item.chunk.id for item in sources}
        room = settings.source_tokens - sum(self._tokens.count(item.chunk.text) for item in sources)
        widened = []
        for item in sources:
            texts = []
            for chunk in around.get(item.chunk.id, [item.chunk]):
                if chunk.id != item.chunk.id:
                    cost = self._tokens.count(chunk.text)
                    if chunk.id in told or cost > room:
                        continue
                    told.add(chunk.id)
                    room -= cost
                texts.append(chunk.text)
            widened.append(replace(item, chunk=replace(item.chunk, text="\n\n".join(texts))))
        return widened
