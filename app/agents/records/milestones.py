"""What an agent has come through once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import select

from app.agents.set_up import Milestones
from app.store.tables.agents import AGENT_FIRSTS
from app.store.transaction import Repository, batches

SEEN_AGAIN_AFTER: Final = timedelta(hours=1)  # so that few openings of the widget write


class MilestoneRecords(Repository):
    """Agents whose workspace the caller has checked."""

    def of_agents(self, agent_ids: Sequence[UUID]) -> dict[UUID, Milestones]:
        """Of each that has come through anything."""
        found: dict[UUID, Milestones] = {}
        for batch in batches(agent_ids):
            rows = self._connection.execute(select(AGENT_FIRSTS).where(AGENT_FIRSTS.c.agent_id.in_(batch)))
            found |= {row.agent_id: Milestones(row.tried_at, row.seen_at, row.seen_on) for row in rows}
        return found

    def tried(self, agent_id: UUID) -> None:
        """An operator has asked it something; the first time counts."""
        if self._milestones(agent_id).tried_at is None:
            self._keep(agent_id, tried_at=self._now())

    def seen(self, agent_id: UUID, origin: str) -> None:
        """A browser has opened the widget on that website."""
        milestones = self._milestones(agent_id)
        if milestones.seen_at is None or self._now() - milestones.seen_at >= SEEN_AGAIN_AFTER:
            self._keep(agent_id, seen_at=self._now(), seen_on=origin)

    def _milestones(self, agent_id: UUID) -> Milestones:
        return self.of_agents([agent_id]).get(agent_id, Milestones())

    def _keep(self, agent_id: UUID, **values: object) -> None:
        row = self._insert(AGENT_FIRSTS).values(agent_id=agent_id, **values)
        self._connection.execute(row.on_conflict_do_update(index_elements=["agent_id"], set_=values))
