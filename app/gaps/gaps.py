"""What operators do with gaps."""

from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.core.actor import Actor
from app.core.field_rules import check_text
from app.core.gap_state import GapState
from app.core.list_page import ListPage, PageRequest
from app.core.list_paging import collected
from app.gaps.gap import EVERY_GAP, Gap, GapFilter, GapOrder
from app.gaps.records.gaps import GapRecords
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

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
        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: GapRecords(tx).page(agent_id, state, page, only, order)
        )

    async def all_of_agent(
        self, actor: Actor, agent_id: UUID, state: GapState | None, only: GapFilter = EVERY_GAP
    ) -> list[Gap]:
        """Most asked first, the first MAX_EXPORTED."""
        return await collected(lambda page: self.of_agent(actor, agent_id, state, page, only), MAX_EXPORTED)

    async def get(self, actor: Actor, gap_id: UUID) -> Gap:
        return await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: GapRecords(tx).get(actor.workspace_id, gap_id)
        )

    async def resolve(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        """On the operator's word; GapReplays closes with proof."""
        return await self._settle(actor, gap_id, GapState.RESOLVED, note)

    async def ignore(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.IGNORED, note)

    async def reopen(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.OPEN, note)

    async def _settle(self, actor: Actor, gap_id: UUID, state: GapState, note: str) -> Gap:
        check_text("note", note, MAX_NOTE_CHARS)

        def work(tx: Transaction) -> Gap:
            gap = GapRecords(tx).set_state(actor.workspace_id, gap_id, state, note)
            AuditRecords(tx).acted(actor, _ACTIONS[state], gap_id, agent_id=str(gap.agent_id))
            return gap

        return await self._records.of_workspace(actor.workspace_id).write(work)
