"""Port: gaps, as operators see them. They come to be in TurnRecords."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from app.domain.gap import EVERY_GAP, Gap, GapFilter, GapOrder, GapState
from app.domain.gap_digest import GapTally, Week
from app.domain.gap_facts import GapFacts
from app.domain.gap_grouping import Move, Wording
from app.domain.gap_meaning import UnplacedGap
from app.domain.gap_replay import DueGap, GapAsking
from app.domain.list_page import ListPage, PageRequest


class GapRecords(Protocol):
    async def page(
        self,
        agent_id: UUID,
        state: GapState | None,
        page: PageRequest,
        only: GapFilter = EVERY_GAP,
        order: GapOrder = GapOrder.ASKED,
    ) -> ListPage[Gap]: ...

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        """Raises NotFound, for a foreign one as well."""
        ...

    async def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        """Raises NotFound."""
        ...

    async def unplaced(self, at_most: int) -> list[UnplacedGap]:
        """Gaps of all agents that were not yet compared with their agent's others, oldest first."""
        ...

    async def place(self, gap: UnplacedGap, model_id: str, vector: Sequence[float] | None) -> None:
        """It was compared with the others, by unit vectors of that model; that of its question is kept. None: the model
        does not read it. One whose question has changed meanwhile stays as it is."""
        ...

    async def wordings(self, agent_id: UUID, model_id: str) -> list[Wording]:
        """Those of the agent's open gaps that no operator has had a hand in, and the settled ones by their question
        alone, where that model's vector of it is known. Of very many wordings those that were not yet compared and
        then the latest are told; gaps beyond them count as settled."""
        ...

    async def regroup(self, agent_id: UUID, seen: Sequence[Wording], moves: Sequence[Move]) -> bool:
        """Wordings with their askings move between gaps of the agent, all or none; what is left empty is gone. Counts,
        times and reasons are those of the askings. False, and nothing moves, where one of these gaps is no longer what
        `seen` says of it."""
        ...

    async def forget_meanings_but(self, model_id: str) -> None:
        """Gaps placed by any other model are unplaced again."""
        ...

    async def askings(self, gap_id: UUID, at_most: int) -> list[GapAsking]:
        """Its wordings, each as it was last asked, latest first."""
        ...

    async def due_for_replay(self, at_most: int) -> list[DueGap]:
        """Of all published agents that no run is reading for, most asked first, then latest."""
        ...

    async def replayed(self, gap_id: UUID, generation: int, *, passes: bool) -> bool:
        """An open gap was asked at that generation; where it passes, it is proposed for closing. False for one that
        is no longer open."""
        ...

    async def merge(self, agent_id: UUID, into: UUID, gap_ids: Sequence[UUID]) -> None:
        """Their askings and counts come to `into`, and they are gone. Those of other agents stay."""
        ...

    async def split(self, gap_id: UUID, turn_id: UUID) -> UUID:
        """The wording of that turn becomes a gap of its own, in the same state, whose id is returned; neither joins
        another by itself from now on. Raises InvalidInput, naming `turn_id`, where there is nothing to split."""
        ...

    async def tell(self, gap_id: UUID, *, assignee: str | None, note: str | None) -> None:
        """What is None stays."""
        ...

    async def of_week(self, agent_id: UUID, week: Week) -> tuple[GapTally, GapTally, GapTally]:
        """Those that were new in that week, closed with proof in it, and opened again in it."""
        ...

    async def facts(self, gap_id: UUID, samples: int) -> GapFacts:
        """With that many samples at most."""
        ...
