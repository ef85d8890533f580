"""A new agent's operator sees how far it is, until a website has shown it."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

from app.agents.agents import Agents
from app.agents.records import SEEN_AGAIN_AFTER, MilestoneRecords
from app.agents.set_up import NEW_FOR, Milestones, Step
from app.agents.widget_settings import Fallback
from app.overview.overview import Overviews
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.store.sample_rows import a_page, add_live
from tests.web.console.browser import an_operator, text_of
from tests.web.house import SITE, House, open_house


async def steps(house: House, agent_id: UUID) -> set[Step] | None:
    """Those that are done; None where the list stands there no more."""
    overview = await house.parts.get(Overviews).overview(house.actor)
    return next((set(each.done) for each in overview.set_ups if each.agent.id == agent_id), None)


async def milestones(house: House) -> Milestones:
    known = await house.record.read(lambda tx: MilestoneRecords(tx).of_agents([house.agent.id]))
    return known.get(house.agent.id, Milestones())


async def test_each_step_is_ticked_by_what_happens_and_the_last_one_ends_the_list(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        agents, agent = house.parts.get(Agents), house.agent.id
        await agents.change_draft(house.actor, agent, lambda draft: replace(draft, allowed_origins=()))
        await agents.publish(house.actor, agent)
        assert await steps(house, agent) == set()
        site = SourceConfig(kinds.SITE, "Docs", SITE)
        source = await house.record.write(lambda tx: SourceRecords(tx).create(agent, site))
        await add_live(house.record, source, a_page(f"{SITE}/a"))
        assert await steps(house, agent) == {Step.READ}
        operator = await an_operator(house)
        asked = await operator.post(f"/console/agents/{agent}/playground", {"question": "When are you open?"})
        assert asked.status_code == 200
        assert await steps(house, agent) == {Step.READ, Step.TRIED}
        await agents.change_draft(house.actor, agent, lambda draft: replace(draft, allowed_origins=(SITE,)))
        assert await steps(house, agent) == {Step.READ, Step.TRIED}, "a draft lets nobody in"
        await agents.publish(house.actor, agent)
        assert await steps(house, agent) == {Step.READ, Step.TRIED, Step.ALLOWED}
        await agents.change_draft(house.actor, agent, lambda draft: replace(draft, fallback=Fallback(form=True)))
        assert await steps(house, agent) == {Step.READ, Step.TRIED, Step.ALLOWED}
        await agents.publish(house.actor, agent)
        assert await steps(house, agent) == {Step.READ, Step.TRIED, Step.ALLOWED, Step.REACHABLE}
        assert "Paste the tag into your pages" in text_of(await operator.page("/console"))
        await house.init()
        assert await steps(house, agent) is None
        assert "Paste the tag" not in await operator.page("/console")


async def test_where_it_was_seen_last_is_kept_to_the_hour(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.init()
        first = await milestones(house)
        assert (first.seen_at, first.seen_on) == (house.clock.now(), SITE)
        house.clock.advance(60)
        await house.init()
        assert await milestones(house) == first
        house.clock.advance(SEEN_AGAIN_AFTER.total_seconds())
        await house.init()
        assert (await milestones(house)).seen_at == house.clock.now()


async def test_the_consoles_own_preview_is_no_website(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        own = str(house.http.base_url).rstrip("/")
        agents = house.parts.get(Agents)
        await agents.change_draft(house.actor, house.agent.id, lambda draft: replace(draft, allowed_origins=(own,)))
        await agents.publish(house.actor, house.agent.id)
        await house.init(origin=own)
        assert (await milestones(house)).seen_at is None


async def test_after_a_month_nobody_is_reminded(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert await steps(house, house.agent.id) is not None
        house.clock.advance(NEW_FOR.total_seconds())
        assert await steps(house, house.agent.id) is None
