"""Port: what is kept of conversations outside the system of record."""

from collections.abc import Collection
from typing import Protocol
from uuid import UUID


class ConversationTerminator(Protocol):
    async def end(self, conversation_ids: Collection[UUID]) -> None:
        """End their running turns, and forget their events and cached history. On return this process writes
        nothing more of them, unless a turn was begun meanwhile."""
        ...
