"""What operators do with gaps."""

from uuid import UUID

from app.domain.gap import EVERY_GAP, Gap, GapFilter, GapOrder, GapState
from app.domain.list_page import ListPage, PageRequest
from app.operating.actor import Actor
from app.operating.field_rules import check_text
from app.operating.list_paging import collected
from app.store.agents import AgentRecords
from app.store.audit import AuditRecords
from app.store.gaps import GapRecords
from app.store.system_of_record import SystemOfRecord

MAX_NOTE_CHARS = 2000
MAX_EXPORTED = 10_000

_ACTIONS = {GapState.RESOLVED: "gap.resolve", GapState.IGNORED: "gap.ignore", GapState.OPEN: "gap.reopen"}


class Gaps:
    """Every method raises NotFound for an agent or gap that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_agent(
        self,
        actor: Actor,
        agent_id: UUID,
        state: GapState | None,
        page: PageRequest,
        only: GapFilter = EVERY_GAP,
        order: GapOrder = GapOrder.ASKED,
    ) -> ListPage[Gap]:
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await GapRecords(tx).page(agent_id, state, page, only, order)

    async def all_of_agent(
        self, actor: Actor, agent_id: UUID, state: GapState | None, only: GapFilter = EVERY_GAP
    ) -> list[Gap]:
        """Most asked first, the first MAX_EXPORTED."""
        return await collected(lambda page: self.of_agent(actor, agent_id, state, page, only), MAX_EXPORTED)

    async def get(self, actor: Actor, gap_id: UUID) -> Gap:
        async with self._records.read() as tx:
            return await GapRecords(tx).get(actor.workspace_id, gap_id)

    async def resolve(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        """On the operator's word; GapReplays closes with proof."""
        return await self._settle(actor, gap_id, GapState.RESOLVED, note)

    async def ignore(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.IGNORED, note)

    async def reopen(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.OPEN, note)

    async def _settle(self, actor: Actor, gap_id: UUID, state: GapState, note: str) -> Gap:
        check_text("note", note, MAX_NOTE_CHARS)
        async with self._records.write() as tx:
            gap = await GapRecords(tx).set_state(actor.workspace_id, gap_id, state, note)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, _ACTIONS[state], str(gap_id), {"agent_id": str(gap.agent_id)}
            )
        return gap
