"""Port: gaps, as operators see them. They come to be in TurnRecords."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from app.domain.gap import Gap, GapState
from app.domain.gap_meaning import UnplacedGap
from app.ports.records.page import ListPage, PageRequest


class GapRecords(Protocol):
    async def page(self, agent_id: UUID, state: GapState | None, page: PageRequest) -> ListPage[Gap]:
        """Most asked first, then latest."""
        ...

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        """Raises NotFound, for a foreign one as well."""
        ...

    async def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        """Raises NotFound."""
        ...

    async def unplaced(self, at_most: int) -> list[UnplacedGap]:
        """Gaps of all agents that were not yet compared with their agent's others, oldest first."""
        ...

    async def place(
        self, gap_id: UUID, model_id: str, vector: Sequence[float] | None, joins_from: float
    ) -> UUID | None:
        """Compare a gap with the other open gaps of its agent, by unit vectors of one model: it becomes part of the
        nearest one from that cosine on, whose id is returned. Else it stays, with its vector. None as a vector, or a
        gap that is gone or was placed meanwhile: nothing to compare."""
        ...

    async def forget_meanings_but(self, model_id: str) -> None:
        """Gaps placed by any other model are unplaced again."""
        ...
