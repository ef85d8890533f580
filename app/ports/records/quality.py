"""Port: what turns and citations say of an agent's quality."""

from datetime import date, datetime
from typing import Protocol
from uuid import UUID

from app.domain.quality import DayQuality, PageCitations


class QualityRecords(Protocol):
    """The caller has checked the workspace."""

    async def day(self, agent_id: UUID, day: date) -> DayQuality:
        """By when turns were asked, in UTC."""
        ...

    async def cited(self, agent_id: UUID, since: datetime) -> list[PageCitations]:
        """Every URL that answers to questions since then cite, most cited first; anchors are part of it."""
        ...

    async def live_pages(self, agent_id: UUID) -> list[PageCitations]:
        """Every page that can be cited, by its URL."""
        ...
