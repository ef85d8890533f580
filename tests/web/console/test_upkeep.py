"""Sources kept up to date, signed users, spending, and what is deleted for good, at the console."""

import re

import pytest

from app.agents.agents import Agents
from app.agents.signed_users import SignedUsers
from app.core.errors import NotFound, Unauthorized
from app.sources import kinds
from app.sources.source import Schedule, Source, SourceConfig
from app.sources.sources import Schedules, Sources
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.house import House


@pytest.fixture
async def site(house: House) -> Source:
    config = SourceConfig(kinds.SITE, "Docs", "https://www.example.com")
    return await house.parts.get(Sources).create(house.actor, house.agent.id, config)


def upkeep_of(source: Source) -> str:
    return f"/console/agents/{source.agent_id}/sources/{source.id}/upkeep"


async def schedule_of(house: House, source: Source) -> Schedule | None:
    found = await house.parts.get(Schedules).schedule(house.actor, source.id)
    return None if found is None else found.schedule


async def test_a_source_is_read_every_so_often_or_not_at_all(
    house: House, browser: ConsoleBrowser, site: Source
) -> None:
    path = f"{upkeep_of(site)}/schedule"
    assert "next reading is on 20" in await browser.flash(await browser.post(path, {"every_hours": "24"}))
    assert await schedule_of(house, site) == Schedule(every_hours=24)
    assert 'name="every_hours" type="number" value="24"' in await browser.page(upkeep_of(site))
    await browser.post(path, {"every_hours": "", "cron": "0 3 * * *"})
    assert await schedule_of(house, site) == Schedule(cron="0 3 * * *")
    assert "only when you choose Read now" in await browser.flash(await browser.post(path, {}))
    assert await schedule_of(house, site) is None


async def test_a_website_behind_a_password_is_given_it_once(
    house: House, browser: ConsoleBrowser, site: Source
) -> None:
    path = f"{upkeep_of(site)}/access"
    given = {"kind": "basic", "name": "docent", "secret": "zqxopensesamezqx"}
    assert "Access saved" in await browser.flash(await browser.post(path, given))
    page = await browser.page(upkeep_of(site))
    assert "the password of the user docent" in text_of(page)
    refused = await browser.post(path, {**given, "name": "a:b"})
    assert 'id="set_source_access-name-wrong"' in refused.text
    assert "zqxopensesamezqx" not in page + refused.text
    await browser.post(f"{path}/remove", {})
    assert "without signing in" in text_of(await browser.page(upkeep_of(site)))


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"cron": "* * * * *"}, "cron"),
        ({"every_hours": "-1"}, "every_hours"),
        ({"every_hours": "24", "cron": "0 3 * * *"}, "cron"),
    ],
)
async def test_a_wrong_schedule_is_named_beside_its_field(
    fields: dict[str, str], wrong: str, house: House, browser: ConsoleBrowser, site: Source
) -> None:
    refused = await browser.post(f"{upkeep_of(site)}/schedule", fields)
    assert (refused.status_code, f'id="set_schedule-{wrong}-wrong"' in refused.text) == (422, True)
    assert await schedule_of(house, site) is None


async def test_the_secret_of_a_hook_is_shown_once(browser: ConsoleBrowser, site: Source) -> None:
    made = await browser.post(f"{upkeep_of(site)}/hook")
    [secret] = re.findall(r'<pre id="secret">([\w-]+)</pre>', made.text)
    assert f"/v1/hooks/sources/{site.id}" in made.text
    assert secret not in await browser.page(upkeep_of(site))
    assert "now refused" in await browser.flash(await browser.post(f"{upkeep_of(site)}/hook/remove"))


async def test_what_is_given_has_no_schedule(house: House, browser: ConsoleBrowser) -> None:
    config = SourceConfig(kinds.TEXT, "Hours", text="From 9 to 17.")
    text = await house.parts.get(Sources).create(house.actor, house.agent.id, config)
    page = await browser.page(upkeep_of(text))
    assert "This source changes only when you edit it." in page
    assert "set_schedule" not in page


async def test_the_secret_of_signed_users_is_shown_once_and_taken_away(house: House, browser: ConsoleBrowser) -> None:
    users, path = house.parts.get(SignedUsers), f"/console/agents/{house.agent.id}/settings/users"
    assert "No secret yet" in text_of(await browser.page(path))
    made = await browser.post(path)
    [secret] = re.findall(r'<pre id="secret">([\w-]+)</pre>', made.text)
    page = await browser.page(path)
    assert secret not in page
    assert "Replace secret" in page
    with pytest.raises(Unauthorized):
        await users.check(house.agent.id, "ann", "0" * 64)
    await browser.post(f"{path}/remove")
    assert await users.key(house.actor, house.agent.id) is None


async def test_spending_names_the_bound_that_visitors_have(house: House, browser: ConsoleBrowser) -> None:
    page = text_of(await browser.page(f"/console/agents/{house.agent.id}/settings/spending"))
    assert "There is no limit." in page
    assert "No usage yet" in page


async def test_an_agent_goes_only_by_its_name(house: House, browser: ConsoleBrowser) -> None:
    path = f"/console/agents/{house.agent.id}/delete"
    refused = await browser.post(path, {"name": "Another"})
    assert (refused.status_code, 'id="delete_agent-name-wrong"' in refused.text) == (422, True)
    gone = await browser.post(path, {"name": house.agent.draft.name})
    receipt = text_of(await browser.page(gone.headers["location"]))
    assert f"Name {house.agent.draft.name} Kind agent" in receipt
    assert "A worker is clearing the indexes" in receipt
    with pytest.raises(NotFound):
        await house.parts.get(Agents).agent(house.actor, house.agent.id)


async def test_a_source_that_is_deleted_leads_to_its_receipt(
    house: House, browser: ConsoleBrowser, site: Source
) -> None:
    gone = await browser.post(f"/console/agents/{house.agent.id}/sources/{site.id}/delete")
    assert "Docs deleted." in await browser.flash(gone)
    assert "Name Docs Kind source" in text_of(await browser.page(gone.headers["location"]))
