"""Port: visitors and their conversations."""

from typing import Protocol
from uuid import UUID

from app.domain.conversation import Conversation, Message, Visitor
from app.domain.conversation_filter import EVERY_CONVERSATION, ConversationFilter
from app.domain.list_page import ListPage, PageRequest
from app.domain.turn import Channel, VisitorSession


class ConversationRecords(Protocol):
    async def visitor(self, agent_id: UUID, anonymous_id: UUID) -> Visitor:
        """The visitor of that name, made on first sight. A name that a signed user's row bears leads to a new one."""
        ...

    async def signed_visitor(self, agent_id: UUID, user_id: str) -> Visitor:
        """The person of that id, made on first sight. The caller has checked the website's signature."""
        ...

    async def resumable(self, visitor_id: UUID) -> Conversation | None:
        """The visitor's latest conversation that is not cleared, if it was active within RESUME_WITHIN."""
        ...

    async def start(self, visitor: Visitor, channel: Channel) -> Conversation: ...

    async def is_kept(self, session: VisitorSession) -> bool:
        """Whether visitor and conversation are there: neither was erased. A cleared conversation is there."""
        ...

    async def clear(self, session: VisitorSession) -> None:
        """The visitor starts afresh: the conversation is never resumed or shown to them again."""
        ...

    async def messages(self, conversation_id: UUID, limit: int) -> list[Message]:
        """The latest `limit` messages that the visitor may see, oldest first: none of a cleared conversation."""
        ...

    async def page(
        self, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[Conversation]:
        """Those with at least one turn, latest activity first."""
        ...

    async def get(self, workspace_id: UUID, conversation_id: UUID) -> Conversation:
        """Raises NotFound, for a foreign one as well."""
        ...
