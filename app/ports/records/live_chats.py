"""Port: live chats of conversations, and what was written in them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.live_chat import Author, LiveChat, LiveMessage, OpenChat
from app.domain.turn import VisitorSession


class LiveChatRecords(Protocol):
    async def own(self, session: VisitorSession, *, to_change: bool = False) -> LiveChat:
        """That of the visitor's conversation, with state `none` where nobody was asked for; `to_change` makes others
        who would change it wait for the end of this transaction. Raises NotFound for a conversation that is not this
        visitor's, was cleared or erased."""
        ...

    async def get(self, workspace_id: UUID, conversation_id: UUID, *, to_change: bool = False) -> LiveChat:
        """The same for an operator. Raises NotFound for a conversation that is absent or another workspace's."""
        ...

    async def is_talking(self, conversation_id: UUID) -> bool:
        """Whether an operator answers there now."""
        ...

    async def ask(self, session: VisitorSession) -> LiveChat:
        """The visitor waits for a person, unless they do already or one is there. Hooks hear of it, once each time
        that it was asked. Raises NotFound as `own` does."""
        ...

    async def keep(self, chat: LiveChat) -> None:
        """Store the chat as it is now; its conversation was active."""
        ...

    async def add(self, chat: LiveChat, message_id: UUID, author: Author, name: str | None, text: str) -> LiveChat:
        """Write a message under the next number. One whose id the conversation has already changes nothing."""
        ...

    async def messages(self, conversation_id: UUID, after: int, limit: int) -> Sequence[LiveMessage]:
        """Those numbered above `after`, in order."""
        ...

    async def open_chats(self, workspace_id: UUID, active_since: datetime, limit: int) -> Sequence[OpenChat]:
        """Waiting ones first, the longest waiting first of all, then those that somebody has. Conversations where
        nothing happened since that moment are left out: no visitor comes back to them."""
        ...

    async def waiting_count(self, workspace_id: UUID, active_since: datetime) -> int:
        """How many visitors wait for a person."""
        ...
