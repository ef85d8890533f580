"""Port: turns that have ended, as operators weigh them."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.past_turn import PastTurn


class PastTurnRecords(Protocol):
    async def since(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastTurn]:
        """Latest first."""
        ...
