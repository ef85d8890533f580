"""How operators find and read conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.conversations.conversation import Conversation
from app.conversations.conversation_filter import EVERY_CONVERSATION, MAX_TEXT_CHARS, MAX_WORDS, ConversationFilter
from app.conversations.inbox_entry import InboxEntry, LabelCount, Neighbours, Note, VisitorFacts
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_language, check_line, check_text
from app.core.list_page import ListPage, PageRequest
from app.core.list_paging import collected
from app.core.turn import StoredTurn
from app.store.system_of_record import SystemOfRecord, Transaction

MAX_EXPORTED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with its turns, oldest first, each with citations and trace, and what operators noted."""

    entry: InboxEntry
    turns: Sequence[StoredTurn]
    notes: Sequence[Note] = ()

    @property
    def conversation(self) -> Conversation:
        return self.entry.conversation


class ConversationReview:
    """Every method raises NotFound for an agent or conversation that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(
        self, actor: Actor, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[InboxEntry]:
        """Latest activity first. Raises InvalidInput."""
        _check(only)

        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: InboxRecords(tx).page(agent_id, page, only)
        )

    async def all_of_agent(
        self, actor: Actor, agent_id: UUID, only: ConversationFilter = EVERY_CONVERSATION
    ) -> list[InboxEntry]:
        """The latest MAX_EXPORTED. Raises InvalidInput."""
        return await collected(lambda page: self.of_agent(actor, agent_id, page, only), MAX_EXPORTED)

    async def thread(self, actor: Actor, conversation_id: UUID) -> Thread:
        def work(tx: Transaction) -> Thread:
            conversation = ConversationRecords(tx).get(actor.workspace_id, conversation_id)
            [entry] = InboxRecords(tx).entries([conversation])
            turns = StoredTurnRecords(tx).of_conversation(conversation_id)
            return Thread(entry, turns, InboxRecords(tx).notes(conversation_id))

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def neighbours(self, actor: Actor, conversation_id: UUID, only: ConversationFilter) -> Neighbours:
        """Before and after it in the list of its agent's that fit. Raises InvalidInput."""
        _check(only)

        def work(tx: Transaction) -> Neighbours:
            conversation = ConversationRecords(tx).get(actor.workspace_id, conversation_id)
            return InboxRecords(tx).neighbours(conversation, only)

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def visitor(self, actor: Actor, visitor_id: UUID) -> VisitorFacts:
        """Raises NotFound for one who is absent or another workspace's."""
        return await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: InboxRecords(tx).visitor(actor.workspace_id, visitor_id)
        )

    async def labels(self, actor: Actor, agent_id: UUID) -> list[LabelCount]:
        """Those that the agent's conversations bear, in alphabetical order."""

        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: InboxRecords(tx).labels(agent_id))


def _check(only: ConversationFilter) -> None:
    check_text("q", only.text, MAX_TEXT_CHARS)
    if len(only.text.split()) > MAX_WORDS:
        raise InvalidInput("q", f"Look for {MAX_WORDS} words at most.")
    check_line("page_url", only.page_url, MAX_TEXT_CHARS)
    check_language("language", only.language)
