"""Port: turns that have ended, as operators weigh them."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.past_turn import PastTurn
from app.domain.threshold_curve import PastConfidences


class PastTurnRecords(Protocol):
    async def since(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastTurn]:
        """Latest first."""
        ...

    async def confidences(self, agent_id: UUID, since: datetime, at_most: int) -> list[PastConfidences]:
        """Of turns that were answered, well or badly, latest first."""
        ...
