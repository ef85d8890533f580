"""The page of a source follows its reading to the end, while what is typed in its settings stays."""

from playwright.sync_api import BrowserContext, expect

from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import RunState, SourceConfig
from tests.console.conftest import ServedConsole

FIRST, SECOND = "https://shop.example/first", "https://shop.example/second"


def test_pages_appear_as_they_are_read_and_the_end_is_shown(context: BrowserContext, served: ServedConsole) -> None:
    house = served.console.house
    served.sign_in(context)
    page = context.new_page()
    with house.record.writing() as tx:
        config = SourceConfig(kinds.SITE, "Shop", "https://shop.example/")
        source = SourceRecords(tx).create(house.agent.id, config)
        run = CrawlRunRecords(tx).start_run(house.agent.id, source.id)
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage(FIRST, 0), QueuedPage(SECOND, 1)])
    page.goto(f"{served.base.rstrip('/')}/console/agents/{house.agent.id}/sources/{source.id}?status=indexed")
    expect(page.get_by_text("No pages", exact=True)).to_have_count(1)
    page.get_by_label("Maximum pages").fill("1234")

    with house.record.writing() as tx:
        CrawlPageRecords(tx).take_pages(run.id, 1)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage(FIRST, 0, "fetched"), "indexed", None, 1)
    expect(page.get_by_role("rowheader", name=FIRST), "the tab is kept").to_have_count(1)
    expect(page.get_by_role("rowheader", name=SECOND)).to_have_count(0)
    page.get_by_role("button", name="Stop").focus()

    with house.record.writing() as tx:
        CrawlPageRecords(tx).take_pages(run.id, 1)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage(SECOND, 1, "fetched"), "indexed", None, 1)
    expect(page.get_by_role("rowheader", name=SECOND)).to_have_count(1)
    expect(page.get_by_role("button", name="Stop")).to_be_focused()

    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED, "Every page of the source was visited.")
    expect(page.get_by_role("button", name="Read again")).to_have_count(1)
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.get_by_label("Maximum pages")).to_have_value("1234")
