"""Sources at the console: added, read, looked into, deleted; and a whole agent from one address."""

import re
from dataclasses import replace
from uuid import UUID

import pytest

from app.agents.agents import Agents
from app.agents.records import AgentRecords
from app.core.chunk import ChunkDraft
from app.core.list_page import PageRequest
from app.core.source_file import Upload
from app.knowledge.document import PageContent, RepeatedText
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.repeated_texts import RepeatedTextRecords
from app.sources import kinds
from app.sources.discovery import SiteDiscovery, SiteIdentity
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import RunState, Source, SourceConfig
from app.sources.sources import Sources
from app.web.request_body import FORM_BYTES
from tests.doubles.sample_files import picture_file
from tests.doubles.scripted_site_discovery import ScriptedSiteDiscovery
from tests.store.sample_rows import add_live
from tests.web.console.browser import ConsoleBrowser, Value, text_of
from tests.web.house import MAX_FILE_BYTES, House

MANUAL = Upload("manual.txt", b"The manual\nPress the green button.")
HOSTILE = '<script>alert(1)</script>" onload="x'


async def sources_of(house: House, agent_id: UUID) -> list[Source]:
    return list((await house.parts.get(Sources).sources(house.actor, agent_id, PageRequest())).items)


def list_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/sources"


def open_folds(html: str) -> list[str]:
    return re.findall(r'<details class="fold quiet" id="([a-z-]+)" open>', html)


async def test_without_sources_the_page_says_what_to_do(house: House, browser: ConsoleBrowser) -> None:
    html = await browser.page(list_path(house))
    assert "No sources yet" in text_of(html)
    assert open_folds(html) == ["website"]


async def test_forms_for_another_source_are_folded_unless_something_is_wrong(
    house: House, browser: ConsoleBrowser
) -> None:
    text = {"kind": "text", "name": "Holidays", "text": "Closed on Sundays."}
    await browser.post(list_path(house), text)
    assert open_folds(await browser.page(list_path(house))) == []
    refused = await browser.post(list_path(house), {**text, "url": "nowhere"})
    assert open_folds(refused.text) == ["text"]


async def test_pages_that_the_embedder_does_not_read_are_counted(house: House, browser: ConsoleBrowser) -> None:
    with house.record.writing() as tx:
        site = SourceRecords(tx).create(house.agent.id, SourceConfig(kinds.SITE, "x", "https://x.example/"))
    await add_live(house.record, site, PageContent("https://x.example/", "Lampen", "Lampen", language="de"))
    assert "1 page is German: the shipped models read English." in text_of(await browser.page(list_path(house)))


async def test_a_text_is_added_and_read(house: House, browser: ConsoleBrowser) -> None:
    added = await browser.post(list_path(house), {"kind": "text", "name": "Holidays", "text": "Closed on Sundays."})
    assert await browser.flash(added) == "Docent is reading Holidays."
    (source,) = await sources_of(house, house.agent.id)
    assert (source.config.kind, source.config.text) == (kinds.TEXT, "Closed on Sundays.")
    assert source.run is not None


async def test_what_is_wrong_stands_beside_its_field(house: House, browser: ConsoleBrowser) -> None:
    refused = await browser.post(list_path(house), {"kind": "text", "name": "Holidays", "url": "nowhere", "text": "x"})
    assert refused.status_code == 422
    assert 'id="add_source-url-wrong"' in refused.text
    assert 'value="nowhere"' in refused.text
    assert await sources_of(house, house.agent.id) == []


async def test_a_source_shows_what_became_of_each_page(house: House, browser: ConsoleBrowser) -> None:
    parts, actor = house.parts, house.actor
    source = await parts.get(Sources).create(
        actor, house.agent.id, SourceConfig(kinds.SITE, HOSTILE, "https://www.example.com/")
    )
    run = await parts.get(Sources).sync(actor, source.id)
    with house.record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("https://www.example.com/a", 0)])
    page = await browser.page(f"{list_path(house)}/{source.id}")
    assert HOSTILE not in page
    assert "https://www.example.com/a queued" in text_of(page)
    assert "hx-trigger" in page  # it goes on, so the page looks again
    assert page.index('href="#settings"') < page.index("https://www.example.com/a")  # below as many pages as it has
    assert 'id="settings"' in page
    assert "No pages" in text_of(await browser.page(f"{list_path(house)}/{source.id}?status=indexed"))


async def test_a_page_that_was_read_is_listed_by_its_title_above_its_address(
    house: House, browser: ConsoleBrowser
) -> None:
    sources, url = house.parts.get(Sources), "https://www.example.com/hours"
    source = await sources.create(house.actor, house.agent.id, SourceConfig(kinds.SITE, "Shop", url))
    run = await sources.sync(house.actor, source.id)
    version = await add_live(house.record, source, PageContent(url, "Opening <hours>", "9 to 17."))
    with house.record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage(url, 0)])
        CrawlPageRecords(tx).take_pages(run.id, 1)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage(url, 0, "fetched"), "indexed", version.document_id, 1)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED)
    page = await browser.page(f"{list_path(house)}/{source.id}")
    assert re.search(r'class="notice good">Your pages are read.*?/playground".*?/embed"', page), "what is left to do"
    assert f'/pages/{version.document_id}">Opening &lt;hours&gt;</a>' in page
    assert f"Opening <hours> {url} indexed" in text_of(page)


@pytest.mark.parametrize(
    ("state", "kept", "badge", "words"),
    [
        (RunState.FAILED, 0, "bad", "There is nothing from this source to answer from."),
        (RunState.FAILED, 4, "warn", "4 pages could not be read this time. Answers still use what they said before."),
        (RunState.FINISHED, 1, "warn", "1 page could not be read this time. Answers still use what it said before."),
        (RunState.FINISHED, 0, "good", "Nobody is at home."),
    ],
)
async def test_a_source_is_red_where_nothing_is_left_and_amber_where_pages_of_before_are_used(
    house: House, browser: ConsoleBrowser, state: RunState, kept: int, badge: str, words: str
) -> None:
    sources = house.parts.get(Sources)
    source = await sources.create(
        house.actor, house.agent.id, SourceConfig(kinds.SITE, "Shop", "https://shop.example/")
    )
    run = await sources.sync(house.actor, source.id)
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, state, "Nobody is at home.", kept_pages=kept)
    page = await browser.page(f"{list_path(house)}/{source.id}")
    assert words in text_of(page)
    for html in (page, await browser.page(list_path(house))):
        assert f'<span class="badge {badge}">{state.value}</span>' in html
    overview = await browser.page("/console")
    assert ("All clear" in overview) == (badge == "good")
    assert (f'<span class="badge {badge}">source</span>' in overview) == (badge != "good")


async def test_a_website_without_tls_is_read_by_one_click(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "site", "name": "Shop", "url": "https://shop.example/"})
    (source,) = await sources_of(house, house.agent.id)
    path, run = f"{list_path(house)}/{source.id}", source.run
    assert run is not None
    assert "Try http://" not in await browser.page(path)
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FAILED, "No page could be read: no TLS.")
    failed = await browser.page(path)
    assert "Try http://" in failed
    assert 'href="#edit_source-url"' in failed
    assert 'id="edit_source-url"' in failed

    assert "Reading started" in await browser.flash(await browser.post(f"{path}/without-tls"))

    (source,) = await sources_of(house, house.agent.id)
    assert source.config.url == "http://shop.example/"
    assert source.run is not None
    assert source.run.id != run.id


@pytest.mark.parametrize("has_changes", [False, True], ids=["published at once", "with the draft's other changes"])
async def test_the_widget_is_allowed_on_a_website_without_tls(
    house: House, browser: ConsoleBrowser, has_changes: bool
) -> None:
    made = await browser.post("/console/new-agent", {"website": "shop.example", "name": "Shop"})
    _, _, _, agent, _, source = made.headers["location"].split("/")
    agents, agent_id = house.parts.get(Agents), UUID(agent)
    if has_changes:
        await agents.change_draft(house.actor, agent_id, lambda draft: replace(draft, tone="dry"))

    await browser.post(f"/console/agents/{agent}/sources/{source}/without-tls")

    assert (await agents.agent(house.actor, agent_id)).draft.allowed_origins == ("http://shop.example",)
    allowed = "https" if has_changes else "http"
    assert (await agents.live(agent_id)).config.allowed_origins == (f"{allowed}://shop.example",)


async def test_a_website_without_tls_shows_its_look_once_it_can_be_read(house: House, browser: ConsoleBrowser) -> None:
    discovery, agents = house.parts.get(SiteDiscovery), house.parts.get(Agents)
    assert isinstance(discovery, ScriptedSiteDiscovery)
    own = await browser.post("/console/new-agent", {"website": "shop.example", "name": "Ada"})
    made = await browser.post("/console/new-agent", {"website": "shop.example"})
    discovery.identity = SiteIdentity("Bea Lamps", "#0f766e", picture_file())

    for location, name in ((made, "Bea Lamps"), (own, "Ada")):
        await browser.post(f"{location.headers['location']}/without-tls")
        live = (await agents.live(UUID(location.headers["location"].split("/")[3]))).config
        assert (live.name, live.theme.primary_color) == (name, "#0f766e")
        assert live.theme.picture is not None


async def test_a_reading_rests_goes_on_and_ends(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "url", "url": "https://www.example.com/faq"})
    (source,) = await sources_of(house, house.agent.id)
    path = f"{list_path(house)}/{source.id}"
    for action, state in (("pause", "paused"), ("read", "queued"), ("cancel", "stopped")):
        await browser.flash(await browser.post(f"{path}/{action}"))
        assert f"State {state}" in text_of(await browser.page(path))


async def test_why_a_reading_failed_stands_out(house: House, browser: ConsoleBrowser) -> None:
    sources = house.parts.get(Sources)
    source = await sources.create(
        house.actor, house.agent.id, SourceConfig(kinds.SITE, "Shop", "https://www.example.com/")
    )
    run = await sources.sync(house.actor, source.id)
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FAILED, "The site does not answer.")
    page = await browser.page(f"{list_path(house)}/{source.id}")
    assert re.search(r'<p class="notice bad"[^>]*>The site does not answer\.</p>', page)
    assert "Read again" in page


async def test_a_help_centre_is_added_and_read_when_it_has_what_it_asks_for(
    house: House, browser: ConsoleBrowser
) -> None:
    added = await browser.post(f"{list_path(house)}/help-centre", {"kind": "intercom", "url": "api.intercom.io"})
    (source,) = await sources_of(house, house.agent.id)
    assert (source.config.kind, source.config.url) == (kinds.INTERCOM, "https://api.intercom.io")
    assert source.run is None
    upkeep = await browser.page(added.headers["location"])
    assert "Access" in upkeep
    assert "Read now" in upkeep
    assert 'value="Authorization"' in upkeep
    assert "Bearer, a space and the access token." in upkeep
    assert "max_depth" not in await browser.page(f"{list_path(house)}/{source.id}")
    refused = await browser.post(f"{list_path(house)}/help-centre", {"kind": "site", "url": "example.com"})
    assert refused.status_code == 422


async def test_a_repository_is_told_where_its_pages_stand(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(f"{list_path(house)}/help-centre", {"kind": "git", "url": "github.com/example/docs"})
    (source,) = await sources_of(house, house.agent.id)
    place = "https://docs.example.com/{path_without_suffix}"
    told = {"branch": "main", "folder": "docs", "page_url": place}
    await browser.post(f"{list_path(house)}/{source.id}/edit", {"name": "Docs"} | told)
    (edited,) = await sources_of(house, house.agent.id)
    assert {name: getattr(edited.config, name) for name in told} == told
    assert f'value="{place}"' in await browser.page(f"{list_path(house)}/{source.id}")


async def test_a_website_is_told_to_read_its_files(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "site", "name": "Docs", "url": "https://www.example.com/"})
    (source,) = await sources_of(house, house.agent.id)
    await browser.post(f"{list_path(house)}/{source.id}/edit", {"name": "Docs", "read_files": "on"})
    (edited,) = await sources_of(house, house.agent.id)
    assert edited.config == replace(source.config, read_files=True)
    assert re.search(r'name="read_files"[^>]* checked', await browser.page(f"{list_path(house)}/{source.id}"))


async def test_a_website_shows_what_was_left_out_and_is_told_what_to_keep(
    house: House, browser: ConsoleBrowser
) -> None:
    await browser.post(list_path(house), {"kind": "site", "name": "Docs", "url": "https://www.example.com/"})
    (source,) = await sources_of(house, house.agent.id)
    assert "Left out" not in await browser.page(f"{list_path(house)}/{source.id}")
    text = RepeatedText("0" * 16, "Need more help?", "Write to <us>.", 1200)
    await house.record.write(lambda tx: RepeatedTextRecords(tx).leave_out(source.id, [text]))
    shown = await browser.page(f"{list_path(house)}/{source.id}")
    assert "Need more help?" in shown
    assert "Write to &lt;us&gt;." in shown
    assert "1,200" in shown
    await browser.post(f"{list_path(house)}/{source.id}/edit", {"name": "Docs", "keep_repeated": "Need more help?"})
    (edited,) = await sources_of(house, house.agent.id)
    assert edited.config.keep_repeated == ("Need more help?",)


async def test_a_page_shows_what_the_model_sees(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "text", "name": "Note", "text": "Hi."})
    (source,) = await sources_of(house, house.agent.id)
    url = "https://www.example.com/hours"
    with house.record.writing() as tx:
        drafts = (ChunkDraft(0, "Open from **9 to 17**.", "Example › Hours", ("Hours",)),)
        content = PageContent(url, "Opening hours", "Open from **9 to 17**.")
        version = DocumentRecords(tx).add_pending(house.agent.id, source.id, content, "h", drafts)
        DocumentRecords(tx).make_live(version)
    page = text_of(await browser.page(f"{list_path(house)}/{source.id}/pages/{version.document_id}"))
    assert "Opening hours" in page
    assert "Open from **9 to 17**. Searched with: Example › Hours" in page


async def test_a_deleted_source_is_gone(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "text", "name": "Note", "text": "Hi."})
    (source,) = await sources_of(house, house.agent.id)
    said = await browser.flash(await browser.post(f"{list_path(house)}/{source.id}/delete"))
    assert said == "Note deleted."
    assert await sources_of(house, house.agent.id) == []


async def test_a_file_is_uploaded_and_read(house: House, browser: ConsoleBrowser) -> None:
    page = await browser.page(list_path(house))
    assert "Markdown, HTML, plain text, PDF, DOCX, PPTX, XLSX or CSV" in text_of(page)
    assert 'enctype="multipart/form-data"' in page
    assert ".docx" in page
    sent: dict[str, Value] = {"file": MANUAL, "name": "The manual", "url": "https://www.example.com/manual"}
    added = await browser.post(f"{list_path(house)}/file", sent)
    assert await browser.flash(added) == "The manual is being read."
    (source,) = await sources_of(house, house.agent.id)
    assert (source.config.kind, source.config.url) == (kinds.FILE, "https://www.example.com/manual")
    assert source.run is not None
    shown = text_of(await browser.page(f"{list_path(house)}/{source.id}"))
    assert "Name manual.txt Kind text Size 34 bytes Uploaded just now" in shown


async def test_another_file_takes_its_place(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(f"{list_path(house)}/file", {"file": MANUAL})
    (source,) = await sources_of(house, house.agent.id)
    path = f"{list_path(house)}/{source.id}"
    said = await browser.flash(await browser.post(f"{path}/file", {"file": Upload("v2.md", b"Press it twice.")}))
    assert said == "v2.md took its place and is being read."
    assert "Name v2.md Kind markdown" in text_of(await browser.page(path))


@pytest.mark.parametrize(
    ("file", "status", "said"),
    [
        (Upload("", b""), 422, "This is required. Add it."),
        (Upload("manual.pdf", b"no PDF"), 422, "has the name of a PDF file but is not one. Check it."),
        (Upload("letter.rtf", b"{\\rtf1 Hi.}"), 422, "is RTF. Save it as DOCX or PDF."),
        (Upload("long.txt", b"x" * (MAX_FILE_BYTES + 1)), 422, "Use at most"),
        (Upload("longer.txt", b"x" * (MAX_FILE_BYTES + FORM_BYTES)), 413, "This is too large. Send at most "),
    ],
    ids=["none was chosen", "no PDF", "RTF", "too large", "too large to be read at all"],
)
async def test_what_is_wrong_with_a_file_stands_beside_it(
    house: House, browser: ConsoleBrowser, file: Upload, status: int, said: str
) -> None:
    refused = await browser.post(f"{list_path(house)}/file", {"file": file, "name": "Mine"})
    assert refused.status_code == status
    found = re.search(r'id="upload_file-file-wrong">([^<]*)<', refused.text)
    assert found is not None
    assert said in found[1]
    assert ('value="Mine"' in refused.text) is (status == 422)
    assert await sources_of(house, house.agent.id) == []


async def test_another_agents_source_is_not_there(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(list_path(house), {"kind": "text", "name": "Note", "text": "Hi."})
    (source,) = await sources_of(house, house.agent.id)
    other = await browser.post("/console/new-agent", {"name": "Bea", "website": "bea.example"})
    agent_id = re.findall(r"agents/([0-9a-f-]+)", other.headers["location"])[0]
    assert (await browser.get(f"/console/agents/{agent_id}/sources/{source.id}")).status_code == 404


async def test_a_website_makes_an_agent_that_is_live_and_reads_it(house: House, browser: ConsoleBrowser) -> None:
    made = await browser.post("/console/new-agent", {"name": "Bea", "website": "www.bea.example:8443/help/"})
    assert await browser.flash(made) == "Bea is live. The reading of www.bea.example:8443 has begun."
    agent_id = UUID(re.findall(r"agents/([0-9a-f-]+)", made.headers["location"])[0])
    with house.record.reading() as tx:
        live = AgentRecords(tx).live(agent_id)
    assert live.config.allowed_origins == ("https://www.bea.example:8443",)
    (source,) = await sources_of(house, agent_id)
    assert (source.config.kind, source.config.url) == (kinds.SITE, "https://www.bea.example:8443/help/")


async def test_a_new_agent_has_the_websites_name_look_and_language(house: House, browser: ConsoleBrowser) -> None:
    discovery = house.parts.get(SiteDiscovery)
    assert isinstance(discovery, ScriptedSiteDiscovery)
    # English is left open, so that answers are in the visitor's language.
    for icon, has_picture, language in ((picture_file(), True, "de"), (b"no picture", False, "en")):
        discovery.identity = SiteIdentity("Bea Lamps", "#0f766e", icon, language)
        made = await browser.post("/console/new-agent", {"website": "bea.example"})
        agent_id = UUID(re.findall(r"agents/([0-9a-f-]+)", made.headers["location"])[0])
        with house.record.reading() as tx:
            live = AgentRecords(tx).live(agent_id).config
        assert (live.name, live.theme.primary_color) == ("Bea Lamps", "#0f766e")
        assert (live.theme.picture is not None) is has_picture
        assert live.language == (language if language == "de" else None)
    discovery.identity = SiteIdentity()
    made = await browser.post("/console/new-agent", {"website": "bea.example"})
    assert await browser.flash(made) == "bea.example is live. The reading of bea.example has begun."


@pytest.mark.parametrize(
    "website", ["ftp://bea.example/", "https://", "https://user:secret@bea.example/", "http://10.0.0.5/"]
)
async def test_no_agent_is_made_of_no_website(house: House, browser: ConsoleBrowser, website: str) -> None:
    refused = await browser.post("/console/new-agent", {"name": "Bea", "website": website})
    assert refused.status_code == 422
    assert 'id="make_agent-website-wrong"' in refused.text
    agents = await house.parts.get(Agents).page(house.actor, PageRequest())
    assert [agent.id for agent in agents.items] == [house.agent.id]
