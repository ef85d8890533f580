"""How operators read conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.conversation import Conversation
from app.domain.conversation_filter import EVERY_CONVERSATION, MAX_TEXT_CHARS, MAX_WORDS, ConversationFilter
from app.domain.errors import InvalidInput
from app.domain.list_page import ListPage, PageRequest
from app.domain.turn import StoredTurn
from app.operating.actor import Actor
from app.operating.field_rules import check_text
from app.store.agents import AgentRecords
from app.store.conversations import ConversationRecords
from app.store.stored_turns import StoredTurnRecords
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with its turns, oldest first, each with citations and trace."""

    conversation: Conversation
    turns: Sequence[StoredTurn]


class ConversationReview:
    """Every method raises NotFound for an agent or conversation that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(
        self, actor: Actor, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[Conversation]:
        """Latest activity first. Raises InvalidInput."""
        check_text("q", only.text, MAX_TEXT_CHARS)
        if len(only.text.split()) > MAX_WORDS:
            raise InvalidInput("q", f"Look for {MAX_WORDS} words at most.")
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await ConversationRecords(tx).page(agent_id, page, only)

    async def thread(self, actor: Actor, conversation_id: UUID) -> Thread:
        async with self._records.read() as tx:
            conversation = await ConversationRecords(tx).get(actor.workspace_id, conversation_id)
            turns = await StoredTurnRecords(tx).of_conversation(conversation_id)
        return Thread(conversation, turns)
