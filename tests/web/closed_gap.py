"""A closed gap for tests of the edge."""

from uuid import UUID, uuid4

from app.core.list_page import PageRequest
from app.core.turn import GapState
from app.gaps.records.gaps import GapRecords
from tests.web.ended_turn import store_turn
from tests.web.house import House


async def a_closed_gap(house: House, question: str) -> tuple[UUID, UUID]:
    """And the turn that gave it away."""
    visitor, turn_id = await house.visitor(), uuid4()
    await visitor.ask(turn_id)
    await store_turn(house, house.turns.asked[-1][0], turn_id, question)
    with house.record.writing() as tx:
        gaps = GapRecords(tx).page(house.agent.id, GapState.OPEN, PageRequest()).items
        [gap] = [gap for gap in gaps if gap.question == question]
        GapRecords(tx).set_state(house.actor.workspace_id, gap.id, GapState.RESOLVED, "")
    return gap.id, turn_id
