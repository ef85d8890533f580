"""Operators save how they narrow the lists of conversations and gaps, for themselves or for all of the workspace."""

import re
from html import unescape

import pytest

from app.core.actor import SCOPES
from app.workspaces.api_tokens import ApiTokens
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.house import House, Json

UNSURE = {"kind": "conversations", "name": "Not sure", "query": "state=open&low=yes"}


def lists(house: House, kind: str = "conversations") -> str:
    return f"/console/agents/{house.agent.id}/{kind}"


def strip(page: str) -> dict[str, str]:
    """The saved filters above a list: addresses by name."""
    found = re.search(r'aria-label="Saved filters">(.*?)</nav>', page, re.DOTALL)
    links = re.findall(r'<a href="([^"]+)" dir="auto"[^>]*>(.*?)</a>', found[1]) if found else []
    return {unescape(name): unescape(address) for address, name in links}


async def save(console: OpenConsole, browser: ConsoleBrowser, **given: str) -> str:
    path = f"/console/agents/{console.house.agent.id}/saved-filters"
    return await browser.flash(await browser.post(path, UNSURE | given))


async def test_a_narrowed_list_is_saved_and_opened_by_its_name(console: OpenConsole) -> None:
    editor, path = console.editor, lists(console.house)
    assert "Save these filters" not in await editor.page(path), "there is nothing to save"
    narrowed = await editor.page(f"{path}?low=yes&visitor={console.house.agent.id}&user_id=ann&cursor=")
    [query] = re.findall(r'name="query" value="([^"]*)"', narrowed)
    assert unescape(query) == "low=yes", "no visitor is named in what outlives their erasure"
    assert await save(console, editor, query=query) == "Filter saved."
    saved = strip(await editor.page(path))
    assert saved["Not sure"] == f"{path}?low=yes"
    opened = await editor.page(saved["Not sure"])
    assert 'aria-current="true">Not sure</a>' in opened
    assert "Save these filters" not in opened
    assert "Not sure" not in strip(await editor.page(lists(console.house, "gaps")))


async def test_ones_own_are_seen_by_nobody_else_and_shared_ones_by_all(console: OpenConsole) -> None:
    await save(console, console.editor)
    await save(console, console.editor, name="For all", is_shared="true")
    path = lists(console.house)
    assert {"Not sure", "For all"} <= strip(await console.editor.page(path)).keys()
    for other in (console.admin, console.viewer):
        seen = strip(await other.page(path)).keys()
        assert ("Not sure" in seen, "For all" in seen) == (False, True)
    page = await console.editor.page("/console/saved-filters")
    [own] = re.findall(
        r'action="([^"]+)/delete"[^>]*>(?:\s*<[^>]*>)*?\s*<button[^>]*aria-label="Delete Not sure"', page
    )
    assert (await console.admin.post(own, {"name": "Mine"})).status_code == 404
    assert (await console.admin.post(f"{own}/delete")).status_code == 404
    assert "Not sure" in strip(await console.editor.page(path))


async def test_a_token_that_is_named_like_an_operator_sees_and_changes_none_of_theirs(console: OpenConsole) -> None:
    house = console.house
    await save(console, console.editor)
    named = await house.parts.get(ApiTokens).issue(house.actor, "editor@example.com", SCOPES)
    seen = (await house.api("GET", "/v1/saved-filters", token=named.token)).json()["items"]
    assert [each for each in seen if each["name"] == "Not sure"] == []
    page = await console.editor.page("/console/saved-filters")
    for own in set(re.findall(r'action="/console/saved-filters/([^"/]+)"', page)):
        is_shared = own in {each["id"] for each in seen}
        assert (
            is_shared or (await house.api("DELETE", f"/v1/saved-filters/{own}", token=named.token)).status_code == 404
        )
    mine = UNSURE | {"is_shared": False}
    refused = await house.api("POST", "/v1/saved-filters", mine, token=named.token)
    assert (refused.status_code, "cannot have private filters" in refused.text) == (422, True)


async def test_one_is_renamed_and_deleted(console: OpenConsole) -> None:
    browser, place = console.editor, "/console/saved-filters"
    [one] = set(re.findall(rf'action="({place}/[^"/]+)"', await browser.page(place)))
    assert await browser.flash(await browser.post(one, {"name": " Nothing found "})) == "Filter renamed."
    assert "Nothing found" in strip(await browser.page(lists(console.house)))
    refused = await browser.post(one, {"name": ""})
    assert (refused.status_code, 'role="alert"' in refused.text) == (422, True)
    assert await browser.flash(await browser.post(f"{one}/delete")) == "Filter deleted."
    assert "No saved filters yet" in text_of(await browser.page(place))
    assert strip(await browser.page(lists(console.house))) == {}


async def test_what_cannot_be_saved_is_said_beside_the_form(console: OpenConsole) -> None:
    path = f"/console/agents/{console.house.agent.id}/saved-filters"
    refused = await console.editor.post(path, UNSURE | {"name": ""})
    assert refused.status_code == 422
    assert 'id="create_saved_filter-name-wrong"' in refused.text
    assert 'name="query" value="state=open&amp;low=yes"' in refused.text, "what was narrowed is kept"
    assert (await console.viewer.post(path, UNSURE)).status_code == 403


async def saved_by_api(house: House, **given: object) -> tuple[int, Json]:
    answer = await house.api("POST", "/v1/saved-filters", UNSURE | given)
    return answer.status_code, answer.json()


async def test_programs_save_for_all(console: OpenConsole) -> None:
    status, saved = await saved_by_api(console.house, kind="gaps", query="days=7&sort=latest&cursor=x")
    assert (status, saved["query"], saved["is_shared"]) == (201, "days=7&sort=latest", True)
    assert "Not sure" in strip(await console.viewer.page(lists(console.house, "gaps")))
    listed = (await console.house.api("GET", "/v1/saved-filters")).json()["items"]
    assert saved in listed
    status, refused = await saved_by_api(console.house, is_shared=False)
    assert (status, refused["error"]["field"]) == (422, "is_shared")


@pytest.mark.parametrize(
    "query", ["", "state=open", "visitor=0198c0de-0000-7000-8000-000000000000", "outcome=lost", "q=1+2+3+4+5+6+7+8+9"]
)
async def test_what_narrows_no_list_is_refused(console: OpenConsole, query: str) -> None:
    status, refused = await saved_by_api(console.house, query=query)
    assert (status, refused["error"]["field"]) == (422, "query")


async def test_who_leaves_takes_their_own_along(console: OpenConsole) -> None:
    await save(console, console.editor)
    await save(console, console.editor, name="For all", is_shared="true")
    await console.editor.post("/console/account/leave", {"email": "editor@example.com"})
    count = "SELECT name FROM saved_filters ORDER BY name"
    with console.house.record.reading() as tx:
        names = list(tx.connection.exec_driver_sql(count).scalars())
    assert names == ["For all", "Unanswered"]
