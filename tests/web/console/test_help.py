"""Each page of the console leads to what is said about it."""

import re

from app.overview.pages import help_texts
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole, every_page


def test_each_entry_of_the_menu_is_explained_and_nothing_else() -> None:
    assert set(help_texts()) == {page.menu.label for page in every_page() if page.menu}


async def test_a_page_and_those_below_it_lead_to_their_section(still_console: OpenConsole) -> None:
    agent = f"/console/agents/{still_console.house.agent.id}"
    shown = await still_console.admin.page("/console/help")
    for path, section in (
        (f"{agent}/gaps", "gaps"),
        (f"{agent}/stale-answers", "gaps"),
        (f"{agent}/settings/versions", "agent_settings"),
        ("/console/audit", "audit"),
    ):
        assert f'href="/console/help#{section}" aria-label="Help on this page"' in await still_console.admin.page(path)
        assert f'id="{section}"' in shown
    assert "Help on this page" not in await still_console.admin.page("/console/account"), "nothing is said about it"


async def test_the_menu_ends_with_the_version_and_ways_to_help(still_console: OpenConsole) -> None:
    shown = await still_console.viewer.page("/console")
    assert re.search(r"Docent \S+ · Help · API", text_of(shown))
    assert "a gap's own questions, asked again" in text_of(await still_console.viewer.page("/console/help"))
    assert "Who changed what" not in text_of(await still_console.viewer.page("/console/help")), "viewers have no audit"
