"""How operators read conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.agents.records.agents import AgentRecords
from app.conversations.conversation import Conversation
from app.conversations.conversation_filter import EVERY_CONVERSATION, MAX_TEXT_CHARS, MAX_WORDS, ConversationFilter
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_text
from app.core.list_page import ListPage, PageRequest
from app.core.turn import StoredTurn
from app.store.system_of_record import SystemOfRecord, Transaction


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

        def work(tx: Transaction) -> ListPage[Conversation]:
            AgentRecords(tx).get(actor.workspace_id, agent_id)
            return ConversationRecords(tx).page(agent_id, page, only)

        return await self._records.read(work)

    async def thread(self, actor: Actor, conversation_id: UUID) -> Thread:
        def work(tx: Transaction) -> tuple[list[StoredTurn], Conversation]:
            conversation = ConversationRecords(tx).get(actor.workspace_id, conversation_id)
            turns = StoredTurnRecords(tx).of_conversation(conversation_id)
            return turns, conversation

        turns, conversation = await self._records.read(work)
        return Thread(conversation, turns)
