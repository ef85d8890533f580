"""What a kind of source gets from its one module, where `tests/sources/notes_kind.py` has added it. Run by
`tests/sources/test_kinds.py` in a process of its own."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.providers.code.git_repository import GitRemotes
from app.sources import kinds
from app.sources.listed.listed_reader import ListedReader
from app.sources.source import SourceConfig
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from tests.doubles.fake_network import USER_AGENT
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.loopback_site import running_site
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.sources.test_crawler_site_reader import SameProcessExtractor
from tests.sources.test_help_centres import read
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.house import House, open_house

URL = "https://notes.example.com"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as built:
        yield built


async def test_the_api_has_it(house: House) -> None:
    schema = (await house.http.get("/openapi.json")).json()["components"]["schemas"]["SourceKind"]
    assert schema["enum"][-1] == "notes"

    made = await house.api("POST", f"/v1/agents/{house.agent.id}/sources", {"kind": "notes", "url": URL})
    assert made.status_code == 201, made.text
    again = (await house.api("GET", f"/v1/sources/{made.json()['id']}")).json()
    assert (again["kind"], again["url"]) == ("notes", URL)

    for field in ("text", "branch", "page_url"):
        body = {"kind": "notes", "url": URL, field: "main"}
        refused = await house.api("POST", f"/v1/agents/{house.agent.id}/sources", body)
        assert refused.json()["error"]["field"] == field
    refused = await house.api("PATCH", f"/v1/sources/{made.json()['id']}", {"max_depth": 3})
    assert 'A source of kind "notes" does not have this setting.' in refused.json()["error"]["message"]


async def test_the_agents_file_has_it(house: House) -> None:
    await house.api("POST", f"/v1/agents/{house.agent.id}/sources", {"kind": "notes", "url": URL, "name": "Notes"})
    file = (await house.api("GET", f"/v1/agents/{house.agent.id}/file")).json()
    assert file["sources"] == [{"kind": "notes", "name": "Notes", "url": URL}]


async def test_the_console_offers_it_and_shows_its_settings(house: House, browser: ConsoleBrowser) -> None:
    sources = f"/console/agents/{house.agent.id}/sources"
    assert "Team notes" in text_of(await browser.page(sources))

    added = await browser.post(f"{sources}/help-centre", {"kind": "notes", "url": URL})
    html = await browser.page(added.headers["location"].removesuffix("/upkeep"))
    assert 'name="include"' in html
    for field in ("max_depth", "page_url", "branch", "is_public", "keep_repeated"):
        assert f'name="{field}"' not in html


async def test_its_pages_are_read() -> None:
    with running_site() as site:
        note = {"url": f"{site.origin}/1", "title": "Parking", "changed": "1", "text": "<p>Park behind the house.</p>"}
        site.page("/notes.json", json.dumps({"notes": [note]}), content_type="application/json")
        wire = GuardedWire(GuardedTransport(site.policy))
        fetcher = Fetcher(wire, USER_AGENT, HostPacing(0.0), site.policy)
        reader = ListedReader(ScriptedSiteReader({}), fetcher, GitRemotes(), SameProcessExtractor(), FixedClock())
        pages, summary = await read(reader, SourceConfig(kinds.kind_named("notes"), "Notes", site.origin))
        await wire.aclose()
    [page] = pages.values()
    assert page.content is not None
    assert "Park behind the house." in page.content.markdown
    assert summary.is_complete
