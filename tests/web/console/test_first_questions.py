"""First questions at the console: suggested from the pages once they were read, ticked, and in the draft."""

from dataclasses import replace
from uuid import UUID

from app.agents.agents import Agents
from app.core.chunk import ChunkDraft
from app.knowledge.document import PageContent
from app.knowledge.records.documents import DocumentRecords
from app.sources import kinds
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import RunState, SourceConfig
from app.sources.sources import Sources
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.house import House

HOSTILE = "What is <b>&quot;bold&quot;?"


def path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/settings/questions"


async def learn(house: House, *questions: str) -> str:
    """A page with a heading for each question; return the path of its source."""
    source = await house.parts.get(Sources).create(
        house.actor, house.agent.id, SourceConfig(kinds.SITE, "Site", "https://www.example.com/")
    )
    for number, question in enumerate(questions):
        url = f"https://www.example.com/{number}"
        chunk = ChunkDraft(0, "We do.", "Help", ("Help", question))
        with house.record.writing() as tx:
            page = PageContent(url, f"Page {number}", "We do.", language="en")
            version = DocumentRecords(tx).add_pending(house.agent.id, source.id, page, url, [chunk])
            DocumentRecords(tx).make_live(version)
    return f"/console/agents/{house.agent.id}/sources/{source.id}"


async def prompts(house: House) -> tuple[str, ...]:
    return (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft.starter_prompts


async def test_what_the_pages_ask_is_suggested_and_the_first_are_ticked(house: House, browser: ConsoleBrowser) -> None:
    await learn(house, *(f"What is on page {number}?" for number in range(6)))
    page = await browser.page(path(house))
    assert "What is on page 0? answered on Page 0" in text_of(page)
    assert page.count('name="starter_prompts"') == 6
    assert page.count(" checked>") == 4


async def test_what_is_ticked_and_written_is_the_draft(house: House, browser: ConsoleBrowser) -> None:
    await learn(house, "Do you ship to Malta?", "Can I pay by card?")
    form: dict[str, str | list[str]] = {"starter_prompts": ["Can I pay by card?"], "own": "When?\r\n\r\nWhere?\r\n"}
    saved = await browser.post(path(house), {**form})
    assert (await browser.flash(saved)).startswith("3 starter questions saved.")
    assert await prompts(house) == ("Can I pay by card?", "When?", "Where?")
    page = text_of(await browser.page(path(house)))
    assert "In the draft Can I pay by card? When? Where? Found in your pages" in page
    assert page.count("Can I pay by card?") == 1
    await browser.post(path(house), {})
    assert await prompts(house) == ()


async def test_too_many_are_refused_and_stay_ticked(house: House, browser: ConsoleBrowser) -> None:
    questions = [f"What is on page {number}?" for number in range(9)]
    await learn(house, *questions)
    refused = await browser.post(path(house), {"starter_prompts": questions})
    assert refused.status_code == 422
    assert "This has 9 entries. Use at most 8." in text_of(refused.text)
    assert refused.text.count(" checked>") == 9
    assert await prompts(house) == ()


async def test_what_a_page_asks_is_text(house: House, browser: ConsoleBrowser) -> None:
    await house.parts.get(Agents).change_draft(
        house.actor, house.agent.id, lambda draft: replace(draft, starter_prompts=(HOSTILE,))
    )
    page = await browser.page(path(house))
    assert "<b>" not in page
    await browser.post(path(house), {"starter_prompts": [HOSTILE]})
    assert await prompts(house) == (HOSTILE,)


async def test_without_a_question_in_its_pages_one_writes_them(house: House, browser: ConsoleBrowser) -> None:
    assert "Add your own below" in text_of(await browser.page(path(house)))


async def test_a_source_that_was_read_leads_on_until_there_are_some(house: House, browser: ConsoleBrowser) -> None:
    source = await learn(house, "Do you ship to Malta?")
    assert path(house) not in await browser.page(source)
    source_id = source.rpartition("/")[2]
    with house.record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(house.agent.id, UUID(source_id))
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("https://www.example.com/0", 0)])
        CrawlPageRecords(tx).settle_page(
            run.id, ReadPage("https://www.example.com/0", 0, "fetched"), "indexed", None, 1
        )
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED)
    assert path(house) in await browser.page(source)
    await browser.post(path(house), {"own": "Do you?"})
    assert path(house) not in await browser.page(source)


async def test_the_api_suggests_the_same(house: House) -> None:
    await learn(house, "Do you ship to Malta?")
    answer = await house.api("GET", f"/v1/agents/{house.agent.id}/starter-suggestions")
    found = {"question": "Do you ship to Malta?", "url": "https://www.example.com/0", "title": "Page 0"}
    assert answer.json() == {"items": [found]}
