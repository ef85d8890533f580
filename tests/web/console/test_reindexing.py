"""An agent is indexed again at the console, after an estimate."""

from app.agents.agent_choices import ContextKind
from tests.web.console.browser import ConsoleBrowser
from tests.web.house import House
from tests.web.test_reindex import furnish


def page_of(house: House) -> str:
    return f"/console/agents/{house.agent.id}/reindex"


async def test_the_button_stands_below_what_it_takes(house: House, browser: ConsoleBrowser) -> None:
    await furnish(house, ContextKind.MODEL)
    page = (await browser.get(page_of(house))).text
    assert "3 chunks of 2 pages." in page
    assert "The chat model writes the contexts of 3 chunks" in page
    assert "Set DOCENT_MODEL_PRICE_PROMPT to see the price." in page
    assert house.jobs.reindexed == []

    said = await browser.flash(await browser.post(page_of(house), {}))

    assert "A worker indexes the agent again" in said
    assert house.jobs.reindexed == [house.agent.id]


async def test_where_the_model_writes_nothing_the_page_says_so(house: House, browser: ConsoleBrowser) -> None:
    await furnish(house, ContextKind.STRUCTURAL)
    assert "The chat model writes nothing" in (await browser.get(page_of(house))).text
