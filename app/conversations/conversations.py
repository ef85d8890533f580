"""Opens the widget for a visitor: identifies them, and resumes their last conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.agents.agent import LiveAgent
from app.agents.records import MilestoneRecords
from app.conversations.conversation import MESSAGES_AT_ONCE, Conversation, MessagePage, Visitor
from app.conversations.history import History
from app.conversations.records.conversations import ConversationRecords
from app.conversations.visitor_facts import VisitorDevice
from app.core.list_page import ListPage, PageRequest
from app.core.turn import Channel, VisitorSession
from app.core.visitor_attribute import VisitorAttribute
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """`latest` is empty unless an earlier conversation is resumed, which then is not `is_new`."""

    session: VisitorSession
    visitor: Visitor
    conversation: Conversation
    is_new: bool
    latest: MessagePage = field(default_factory=MessagePage)


class Conversations(Wired):
    _records: SystemOfRecord
    _history: History

    async def open(
        self,
        agent: LiveAgent,
        anonymous_id: UUID | None,
        channel: Channel = Channel.WIDGET,
        user_id: str | None = None,
        *,
        resumes: bool = True,
        conversation_id: UUID | None = None,
        seen_on: str | None = None,
        attributes: Sequence[VisitorAttribute] | None = None,
        device: VisitorDevice | None = None,
    ) -> OpenedConversation:
        """Resume the visitor's conversation on that channel if it was active within RESUME_WITHIN, else start one;
        always start one unless it `resumes`. `conversation_id` resumes that one of the visitor's instead, however old
        it is. Raises NotFound if it is not theirs or was cleared.

        `anonymous_id` is the name that the browser kept; without it, the visitor is new. `user_id`, whose signature or
        API token the caller has checked, takes precedence: the two never lead to the same visitor. `seen_on` is the
        website with the widget, as its origin. `attributes` replace all that are known of the visitor; None keeps them.
        `device` is stored with a new conversation, if the agent's operator wants it.
        """
        may_resume = resumes and (anonymous_id or user_id) is not None

        def opened(tx: Transaction) -> OpenedConversation:
            if user_id is not None:
                visitor = ConversationRecords(tx).signed_visitor(agent.id, user_id)
            elif anonymous_id is not None:
                visitor = ConversationRecords(tx).visitor(agent.id, anonymous_id)
            else:
                visitor = ConversationRecords(tx).new_visitor(agent.id)
            if attributes is not None:
                ConversationRecords(tx).add_attributes(visitor, attributes)
            conversation: Conversation | None = None
            if conversation_id is not None:
                conversation = ConversationRecords(tx).own(visitor.id, conversation_id, channel)
            elif may_resume:
                conversation = ConversationRecords(tx).resumable(visitor.id, channel)
            latest = MessagePage()
            is_new = conversation is None
            if conversation is None:
                wanted = device if agent.config.visitor_device else None
                conversation = ConversationRecords(tx).start(visitor, channel, wanted)
            else:
                latest = _page(tx, conversation.id)
            if seen_on is not None:
                MilestoneRecords(tx).seen(agent.id, seen_on)
            session = VisitorSession(agent.workspace_id, agent.id, visitor.id, conversation.id, channel)
            return OpenedConversation(session, visitor, conversation, is_new, latest)

        return await self._records.of_workspace(agent.workspace_id).write(opened)

    @reads
    def messages(self, tx: Transaction, session: VisitorSession, before: UUID | None = None) -> MessagePage:
        """The latest messages, or those of the turns before the turn `before`. Raises NotFound if that turn is not in
        the conversation."""
        return _page(tx, session.conversation_id, before)

    @reads
    def of_visitor(self, tx: Transaction, session: VisitorSession, page: PageRequest) -> ListPage[Conversation]:
        """The visitor's conversations with at least one question, latest activity first."""
        return ConversationRecords(tx).page_of_visitor(session.visitor_id, page)

    async def clear(self, session: VisitorSession) -> None:
        """The visitor will not see this conversation again; the next `open` starts a new one."""
        await self._records.of_workspace(session.workspace_id).write(lambda tx: ConversationRecords(tx).clear(session))
        await self._history.forget(session.conversation_id)


def _page(tx: Transaction, conversation_id: UUID, before: UUID | None = None) -> MessagePage:
    """At most MESSAGES_AT_ONCE messages."""
    found = ConversationRecords(tx).messages(conversation_id, MESSAGES_AT_ONCE + 1, before)
    if len(found) <= MESSAGES_AT_ONCE:
        return MessagePage(found)
    # A page never begins with an answer whose question is on the page before.
    is_cut = found[0].turn_id == found[1].turn_id
    return MessagePage(found[2 if is_cut else 1 :], has_earlier=True)
