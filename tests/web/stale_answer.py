"""A stale answer for tests of the edge."""

from uuid import UUID, uuid4

from app.core.list_page import PageRequest
from app.stale_answers.records import StaleAnswerRecords
from app.stale_answers.stale_answer import Finding, PageChange, StaleFilter, StaleKind, StaleSubject
from app.store.transaction import Transaction
from tests.web.house import PAGE, House


async def a_stale_answer(house: House, curated_answer_id: UUID) -> UUID:
    """That the page of opening hours no longer says what the curated answer does."""
    now = house.clock.now()
    change = PageChange(uuid4(), house.agent.id, house.actor.workspace_id, PAGE, "Hours", "9 to 17", "10 to 17", now)
    finding = Finding(
        StaleSubject.CURATED,
        StaleKind.CONTRADICTED,
        "From 9 to 17.",
        "We are open from 10 to 17.",
        curated_answer_id=curated_answer_id,
        new_answer="From 10 to 17.",
    )

    def work(tx: Transaction) -> UUID:
        StaleAnswerRecords(tx).keep(change, finding)
        return StaleAnswerRecords(tx).page(house.agent.id, StaleFilter(), PageRequest()).items[0].id

    return await house.record.write(work)
