"""Notes which conversations were to end."""

from collections.abc import Collection
from uuid import UUID


class EndedConversations:
    def __init__(self) -> None:
        self.ended: list[UUID] = []

    async def end(self, conversation_ids: Collection[UUID]) -> None:
        self.ended += conversation_ids
