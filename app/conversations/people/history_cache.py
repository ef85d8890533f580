"""Port: the history that models are told, where it is kept outside the system of record."""

from typing import Protocol
from uuid import UUID


class HistoryCache(Protocol):
    async def people_wrote(self, conversation_id: UUID) -> None:
        """A visitor or an operator has written a live message, which is committed: what was kept before is told no
        more. Never raises."""
        ...
