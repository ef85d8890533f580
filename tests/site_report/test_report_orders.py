"""An operator orders a report, and one worker makes it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.records import AgentRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound, Unavailable
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.records import OrderedReportRecords
from app.site_report.report_orders import GIVEN_UP_AFTER, LEASE, MadeReport, Progress, ReportMaker, ReportOrders
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent

WEBSITE = ReportKind.WEBSITE


async def nothing() -> None:
    pass


@dataclass
class Shop:
    """Its `Maker` asks three of seven questions, then `meanwhile` happens."""

    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    agent: UUID
    seen: list[Actor] = field(default_factory=list)
    meanwhile: Callable[[], Awaitable[object]] = nothing
    fails: Exception | None = None

    @property
    def orders(self) -> ReportOrders:
        return ReportOrders(self.record, self.clock)

    async def order(self, about: str = "Docs") -> OrderedReport:
        return await self.orders.order(self.actor, self.agent, WEBSITE, about, {"about": about})

    async def stored(self) -> OrderedReport:
        return await self.orders.report(self.actor, self.agent, WEBSITE)

    async def work(self) -> int:
        return await Maker(self).make_due()


class Maker(ReportMaker):
    kind = WEBSITE

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop.record, shop.clock)
        self._shop = shop

    async def make(self, actor: Actor, report: OrderedReport, on_progress: Progress) -> MadeReport:
        shop = self._shop
        shop.seen.append(actor)
        on_progress(3, 7)
        await shop.meanwhile()
        if shop.fails:
            raise shop.fails
        return MadeReport({"about": report.wanted["about"]}, "<p>Done.</p>")


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record, is_published=True)
        yield Shop(record, clock, Actor(agent.workspace_id, "ann", frozenset((READ, WRITE))), agent.id)


async def test_a_worker_makes_what_was_ordered(shop: Shop) -> None:
    ordered = await shop.order()
    assert (ordered.is_running, ordered.result) == (True, None)

    assert await shop.work() == 1

    made = await shop.stored()
    assert (made.is_running, made.result, made.page, made.problem) == (False, {"about": "Docs"}, "<p>Done.</p>", "")
    assert (made.asked_by, made.asked, made.questions) == ("ann", 3, 7)
    assert made.wanted == {}, "what it was made of is not kept"
    assert [(actor.workspace_id, actor.name) for actor in shop.seen] == [(shop.actor.workspace_id, "ann")]
    assert await shop.work() == 0


async def test_why_it_could_not_be_made_is_kept(shop: Shop) -> None:
    shop.fails = Unavailable("Search is down.")
    await shop.order()
    await shop.work()
    failed = await shop.stored()
    assert (failed.is_running, failed.result, failed.problem) == (False, None, "Search is down.")


async def test_an_error_of_our_own_ends_it_at_once(shop: Shop) -> None:
    shop.fails = ZeroDivisionError("share of no questions")
    await shop.order()
    with pytest.raises(ZeroDivisionError):  # which the supervisor logs
        await shop.work()
    failed = await shop.stored()
    assert (failed.is_running, failed.wanted) == (False, {})
    assert "unexpected error" in failed.problem
    shop.clock.advance(LEASE.total_seconds())
    assert await shop.work() == 0


async def test_another_worker_leaves_it_alone_until_the_first_has_died(shop: Shop) -> None:
    await shop.order()
    now = shop.clock.now()
    with shop.record.writing() as tx:
        assert OrderedReportRecords(tx).take(WEBSITE, now, now + LEASE) is not None  # and dies
    assert await shop.work() == 0
    shop.clock.advance(LEASE.total_seconds())
    assert await shop.work() == 1
    assert (await shop.stored()).result


async def test_one_that_kills_its_workers_is_given_up(shop: Shop) -> None:
    await shop.order()
    shop.clock.advance(GIVEN_UP_AFTER.total_seconds() + 1)
    await shop.work()
    assert shop.seen == []
    assert "within two hours" in (await shop.stored()).problem


async def test_one_at_a_time_is_made(shop: Shop) -> None:
    await shop.order()
    with pytest.raises(InvalidInput, match="still being made"):
        await shop.order()
    await shop.work()
    shop.clock.advance(60)
    await shop.order("Blog")
    assert ((await shop.stored()).name, (await shop.stored()).result) == ("Blog", None)


async def test_the_result_of_an_agent_that_was_deleted_meanwhile_is_dropped(shop: Shop) -> None:
    await shop.order()

    async def delete() -> None:
        await shop.record.write(lambda tx: AgentRecords(tx).delete(shop.actor.workspace_id, shop.agent))

    shop.meanwhile = delete
    assert await shop.work() == 1
    with pytest.raises(NotFound):
        await shop.stored()


async def test_an_agent_that_nobody_can_ask_gets_no_report(shop: Shop) -> None:
    unpublished = new_agent(shop.record)
    with pytest.raises(InvalidInput, match="Publish the agent"):
        await shop.orders.order(shop.actor, unpublished.id, WEBSITE, "Docs", {})
    with pytest.raises(NotFound):
        await shop.orders.order(Actor(uuid4(), "eve"), shop.agent, WEBSITE, "Docs", {})
    with pytest.raises(NotFound):
        await shop.stored()
