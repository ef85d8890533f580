"""A visitor opens the widget: who they are, and where their last conversation stands."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from app.answering.history import History
from app.domain.agent import LiveAgent
from app.domain.conversation import RESUMED_MESSAGES, Conversation, Message, Visitor
from app.domain.turn import Channel, VisitorSession
from app.store.conversations import ConversationRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """`messages` is empty unless an earlier conversation is resumed."""

    session: VisitorSession
    visitor: Visitor
    conversation: Conversation
    messages: list[Message] = field(default_factory=list)


class Conversations:
    def __init__(self, records: SystemOfRecord, history: History) -> None:
        self._records = records
        self._history = history

    async def open(
        self,
        agent: LiveAgent,
        anonymous_id: UUID | None,
        channel: Channel = Channel.WIDGET,
        user_id: str | None = None,
    ) -> OpenedConversation:
        """Resume the visitor's conversation if it was active within RESUME_WITHIN, else start one.

        `anonymous_id` is the name the browser kept; without it the visitor is a new one. `user_id`, whose signature
        the caller has checked, stands before it: the two never lead to the same visitor.
        """
        name = anonymous_id or uuid4()

        async def opened(tx: Transaction) -> OpenedConversation:
            if user_id is None:
                visitor = await ConversationRecords(tx).visitor(agent.id, name)
            else:
                visitor = await ConversationRecords(tx).signed_visitor(agent.id, user_id)
            conversation = await ConversationRecords(tx).resumable(visitor.id)
            messages: list[Message] = []
            if conversation is None:
                conversation = await ConversationRecords(tx).start(visitor, channel)
            else:
                messages = await ConversationRecords(tx).messages(conversation.id, RESUMED_MESSAGES)
            session = VisitorSession(agent.workspace_id, agent.id, visitor.id, conversation.id, channel)
            return OpenedConversation(session, visitor, conversation, messages)

        return await self._records.write_at_once(opened)

    async def messages(self, session: VisitorSession) -> list[Message]:
        """The latest RESUMED_MESSAGES, oldest first."""
        async with self._records.read() as tx:
            return await ConversationRecords(tx).messages(session.conversation_id, RESUMED_MESSAGES)

    async def clear(self, session: VisitorSession) -> None:
        """The visitor will not see this conversation again; the next `open` starts a new one."""
        async with self._records.write() as tx:
            await ConversationRecords(tx).clear(session)
        await self._history.forget(session.conversation_id)
