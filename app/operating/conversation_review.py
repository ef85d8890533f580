"""How operators read conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.conversation import Conversation
from app.domain.turn import StoredTurn
from app.operating.actor import Actor
from app.ports.records.page import ListPage, PageRequest
from app.ports.records.transaction import SystemOfRecord


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with its turns, oldest first, each with citations and trace."""

    conversation: Conversation
    turns: Sequence[StoredTurn]


class ConversationReview:
    """Every method raises NotFound for an agent or conversation that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[Conversation]:
        """Latest activity first."""
        async with self._records.read() as records:
            await records.agents.get(actor.workspace_id, agent_id)
            return await records.conversations.page(agent_id, page)

    async def thread(self, actor: Actor, conversation_id: UUID) -> Thread:
        async with self._records.read() as records:
            conversation = await records.conversations.get(actor.workspace_id, conversation_id)
            turns = await records.turns.of_conversation(conversation_id)
        return Thread(conversation, turns)
