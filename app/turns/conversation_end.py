"""Conversations end here before they are erased, and are forgotten after."""

from collections.abc import Collection
from uuid import UUID

from app.conversations.history import History
from app.turns.turns import Turns


class ConversationEnd:
    """Implements `LiveConversations`."""

    def __init__(self, turns: Turns, history: History) -> None:
        self._turns = turns
        self._history = history

    async def end(self, conversation_ids: Collection[UUID]) -> None:
        await self._turns.end_of(conversation_ids)
        for conversation_id in conversation_ids:
            await self._history.forget(conversation_id)
