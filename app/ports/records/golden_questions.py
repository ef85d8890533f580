"""Port: golden questions."""

from typing import Protocol
from uuid import UUID

from app.domain.golden_question import GoldenQuestion


class GoldenQuestionRecords(Protocol):
    """The caller has checked the workspace. An agent has each wording once, whatever its case and punctuation."""

    async def of_agent(self, agent_id: UUID) -> list[GoldenQuestion]:
        """Oldest first."""
        ...

    async def get(self, agent_id: UUID, golden_id: UUID) -> GoldenQuestion:
        """Raises NotFound."""
        ...

    async def put(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Add it; where the agent has its wording, that one gets its pages and language instead, and what it says of
        the answer where it says something, and keeps its id."""
        ...

    async def save(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Raises NotFound, InvalidInput where another one of the agent has the wording."""
        ...

    async def delete(self, agent_id: UUID, golden_id: UUID) -> None:
        """Raises NotFound."""
        ...
