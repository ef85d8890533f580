"""Questions for visitors to begin with, suggested from what an agent has learnt."""

from typing import Final
from uuid import UUID

from anyio import to_thread

from app.domain.starter_suggestions import StarterSuggestion, starter_suggestions
from app.operating.actor import Actor
from app.store.agents import AgentRecords
from app.store.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord

SUGGESTED: Final = 12
_CHUNKS: Final = 3000  # looked through, of the pages that were learnt first


class StarterSuggestions:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(self, actor: Actor, agent_id: UUID) -> list[StarterSuggestion]:
        """Without those that the draft has. Raises NotFound for an agent that is absent or another workspace's."""
        async with self._records.read() as tx:
            draft = (await AgentRecords(tx).get(actor.workspace_id, agent_id)).draft
            chunks = await LiveDocumentRecords(tx).first_chunks(agent_id, _CHUNKS)
        return await to_thread.run_sync(starter_suggestions, chunks, draft.language, SUGGESTED, draft.starter_prompts)
