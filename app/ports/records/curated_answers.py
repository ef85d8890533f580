"""Port: answers that operators wrote."""

from typing import Protocol
from uuid import UUID

from app.domain.curated_answer import CuratedAnswer


class CuratedAnswerRecords(Protocol):
    """`answer.agent_id` says whose it is; the caller has checked the workspace."""

    async def create(self, answer: CuratedAnswer) -> CuratedAnswer: ...

    async def get(self, agent_id: UUID, answer_id: UUID) -> CuratedAnswer:
        """Raises NotFound."""
        ...

    async def of_agent(self, agent_id: UUID) -> list[CuratedAnswer]:
        """Oldest first."""
        ...

    async def save(self, answer: CuratedAnswer) -> CuratedAnswer:
        """Raises NotFound."""
        ...

    async def delete(self, agent_id: UUID, answer_id: UUID) -> None:
        """Raises NotFound."""
        ...
