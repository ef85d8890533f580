"""Questions for visitors to begin with, suggested from what an agent has learnt."""

from typing import Final
from uuid import UUID

from anyio import to_thread

from app.agents.agent import AgentConfig
from app.agents.records.agents import AgentRecords
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.knowledge.starter_suggestions import StarterSuggestion, starter_suggestions
from app.store.system_of_record import SystemOfRecord, Transaction

SUGGESTED: Final = 12
_CHUNKS: Final = 3000  # looked through, of the pages that were learnt first


class StarterSuggestions:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(self, actor: Actor, agent_id: UUID) -> list[StarterSuggestion]:
        """Without those that the draft has. Raises NotFound for an agent that is absent or another workspace's."""

        def work(tx: Transaction) -> tuple[list[Chunk], AgentConfig]:
            draft = AgentRecords(tx).get(actor.workspace_id, agent_id).draft
            chunks = LiveDocumentRecords(tx).first_chunks(agent_id, _CHUNKS)
            return chunks, draft

        chunks, draft = await self._records.of_workspace(actor.workspace_id).read(work)
        return await to_thread.run_sync(starter_suggestions, chunks, draft.language, SUGGESTED, draft.starter_prompts)
