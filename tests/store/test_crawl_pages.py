"""The queue of a crawl run, and how its pages end."""

from datetime import UTC, datetime

import pytest

from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import CrawlRun, RunState, Source
from app.store.system_of_record import SystemOfRecord
from tests.store.sample_rows import a_page, add_live, add_pending

URL = "https://docs.example/install"


@pytest.fixture
async def run(record: SystemOfRecord, source: Source) -> CrawlRun:
    return await record.write(lambda tx: CrawlRunRecords(tx).start_run(source.agent_id, source.id))


def queued(*urls: str) -> list[QueuedPage]:
    return [QueuedPage(url, 0) for url in urls]


async def next_run(record: SystemOfRecord, source: Source, run: CrawlRun) -> CrawlRun:
    with record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED)
        return CrawlRunRecords(tx).start_run(source.agent_id, source.id)


async def test_a_url_is_queued_once_a_run(record: SystemOfRecord, run: CrawlRun) -> None:
    with record.writing() as tx:
        assert CrawlPageRecords(tx).add_pages(run.id, queued("a", "b", "a")) == 2
        assert CrawlPageRecords(tx).add_pages(run.id, queued("b", "c")) == 1
        assert CrawlPageRecords(tx).add_pages(run.id, []) == 0
        assert CrawlPageRecords(tx).seen_pages(run.id) == 3


async def test_pages_are_handed_out_once_and_oldest_first(record: SystemOfRecord, run: CrawlRun) -> None:
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("z", 0), QueuedPage("a", 1)])
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("m", 2)])
        assert CrawlPageRecords(tx).take_pages(run.id, 2) == [QueuedPage("z", 0), QueuedPage("a", 1)]
        assert CrawlPageRecords(tx).take_pages(run.id, 2) == [QueuedPage("m", 2)]
        assert CrawlPageRecords(tx).take_pages(run.id, 2) == []


async def test_pages_that_a_dead_process_took_go_back_to_the_queue(record: SystemOfRecord, run: CrawlRun) -> None:
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued("a", "b", "c"))
        CrawlPageRecords(tx).take_pages(run.id, 2)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage("a", 0, "fetched"), "indexed", None, 1)
        assert CrawlPageRecords(tx).requeue_taken(run.id) == 1
        assert [page.url for page in CrawlPageRecords(tx).take_pages(run.id, 9)] == ["b", "c"]


async def test_more_urls_than_one_statement_can_name_are_queued_in_order(record: SystemOfRecord, run: CrawlRun) -> None:
    urls = [f"https://docs.example/{number}" for number in range(1203)]
    with record.writing() as tx:
        assert CrawlPageRecords(tx).add_pages(run.id, queued(*urls)) == len(urls)
        assert [page.url for page in CrawlPageRecords(tx).take_pages(run.id, 2000)] == urls


async def test_a_url_longer_than_an_index_entry_is_kept(record: SystemOfRecord, run: CrawlRun) -> None:
    url = "https://docs.example/?" + "".join(f"{number}&" for number in range(1000))
    with record.writing() as tx:
        assert CrawlPageRecords(tx).add_pages(run.id, queued(url)) == 1
        assert CrawlPageRecords(tx).take_pages(run.id, 1) == queued(url)


async def test_a_run_counts_its_pages_by_status(record: SystemOfRecord, run: CrawlRun) -> None:
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued("a", "b", "c", "d"))
        CrawlPageRecords(tx).take_pages(run.id, 3)
        for url, status in (("a", "indexed"), ("b", "not_found")):
            CrawlPageRecords(tx).settle_page(run.id, ReadPage(url, 0, status), status, None, 0)
        counts = CrawlRunRecords(tx).run(run.id).counts
    assert counts == {"indexed": 1, "not_found": 1, "queued": 2}


async def test_each_page_tells_how_it_ended(record: SystemOfRecord, source: Source, run: CrawlRun) -> None:
    version = await add_live(record, source, a_page(URL))
    read_at = datetime(2026, 2, 3, tzinfo=UTC)
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued(URL, "b", "c"))
        CrawlPageRecords(tx).take_pages(run.id, 2)
        read = ReadPage(URL, 0, "fetched", content=a_page(URL), read_at=read_at)
        CrawlPageRecords(tx).settle_page(run.id, read, "indexed", version.document_id, 4)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage("b", 0, "not_found", "404"), "not_found", None, 0)
        first = CrawlPageRecords(tx).pages(run.id, PageRequest(limit=2))
        rest = CrawlPageRecords(tx).pages(run.id, PageRequest(limit=2, cursor=first.next_cursor))
        missing = CrawlPageRecords(tx).pages(run.id, PageRequest(), status="not_found")
    page = first.items[0]
    assert (page.status, page.title, page.document_id, page.chunks, page.fetched_at) == (
        "indexed",
        a_page(URL).title,
        version.document_id,
        4,
        read_at,
    )
    assert [(page.url, page.title, page.reason) for page in first.items[1:]] == [("b", None, "404")]
    assert [(page.url, page.status, page.fetched_at) for page in rest.items] == [("c", "queued", None)]
    assert [page.url for page in missing.items] == ["b"]


async def test_only_a_page_of_the_run_can_be_settled(record: SystemOfRecord, run: CrawlRun) -> None:
    with pytest.raises(NotFound), record.writing() as tx:
        CrawlPageRecords(tx).settle_page(run.id, ReadPage("never seen", 0, "fetched"), "indexed", None, 0)


async def test_a_page_settles_without_the_document_that_was_erased_meanwhile(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    version = await add_pending(record, source, a_page(URL))
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued(URL))
        retired = DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        DocumentRecords(tx).purge_versions(retired)
        CrawlPageRecords(tx).settle_page(run.id, ReadPage(URL, 0, "fetched"), "indexed", version.document_id, 1)
        page = CrawlPageRecords(tx).pages(run.id, PageRequest()).items[0]
    assert (page.status, page.document_id) == ("indexed", None)


async def read_with_validators(
    record: SystemOfRecord, source: Source, run: CrawlRun, *, status: str = "indexed"
) -> CrawlRun:
    """Read the page in `run`; return the run after it."""
    version = await add_live(record, source, a_page(URL))
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued(URL))
        CrawlPageRecords(tx).take_pages(run.id, 1)
        read = ReadPage(URL, 0, "fetched", etag='"1"', last_modified="Mon")
        CrawlPageRecords(tx).settle_page(run.id, read, status, version.document_id, 1)
    return await next_run(record, source, run)


async def test_the_next_run_asks_with_the_validators_of_the_last_reading(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    second = await read_with_validators(record, source, run)
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(second.id, queued(URL, "b"))
        taken = CrawlPageRecords(tx).take_pages(second.id, 2)
    assert taken == [QueuedPage(URL, 0, '"1"', "Mon"), QueuedPage("b", 0)]


async def test_an_unchanged_page_keeps_its_validators_and_its_document(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    second = await read_with_validators(record, source, run)
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(second.id, queued(URL))
        not_modified = ReadPage(URL, 0, "unchanged", http_status=304)
        CrawlPageRecords(tx).settle_page(second.id, not_modified, "unchanged", None, 0)
        page = CrawlPageRecords(tx).pages(second.id, PageRequest()).items[0]
    third = await next_run(record, source, second)
    with record.writing() as tx:
        assert page.document_id == LiveDocumentRecords(tx).document_at(source.id, URL)
        CrawlPageRecords(tx).add_pages(third.id, queued(URL))
        assert CrawlPageRecords(tx).take_pages(third.id, 1) == [QueuedPage(URL, 0, '"1"', "Mon")]


async def test_a_page_that_once_failed_is_still_asked_with_its_validators(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    second = await read_with_validators(record, source, run)
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(second.id, queued(URL))
        CrawlPageRecords(tx).settle_page(second.id, ReadPage(URL, 0, "timed_out"), "timed_out", None, 0)
    third = await next_run(record, source, second)
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(third.id, queued(URL))
        assert CrawlPageRecords(tx).take_pages(third.id, 1) == [QueuedPage(URL, 0, '"1"', "Mon")]


async def test_a_run_can_begin_with_the_pages_of_the_reading_before_it(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    with record.writing() as tx:
        assert CrawlPageRecords(tx).pages_before(run.id, 9) == []
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("z", 0), QueuedPage("a", 1), QueuedPage("gone", 1)])
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("never reached", 2)])
        CrawlPageRecords(tx).settle_page(run.id, ReadPage("gone", 1, "not_found"), "not_found", None, 0)
    without_pages = await next_run(record, source, run)
    second = await next_run(record, source, without_pages)
    with record.writing() as tx:
        before = CrawlPageRecords(tx).pages_before(second.id, 9, {"not_found"})
        assert before == [QueuedPage("z", 0), QueuedPage("a", 1), QueuedPage("never reached", 2)]
        CrawlPageRecords(tx).add_pages(second.id, queued("a"))
        assert CrawlPageRecords(tx).add_pages(second.id, before) == 2
        taken = CrawlPageRecords(tx).take_pages(second.id, 9)
    assert taken == [QueuedPage("a", 0), QueuedPage("z", 0), QueuedPage("never reached", 2)]


async def test_only_so_many_pages_of_the_reading_before_are_taken(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    with record.writing() as tx:
        CrawlPageRecords(tx).add_pages(run.id, queued("a", "b", "c"))
    second = await next_run(record, source, run)
    with record.writing() as tx:
        assert CrawlPageRecords(tx).pages_before(second.id, 2) == queued("a", "b")


async def test_a_page_without_a_live_document_is_read_afresh(
    record: SystemOfRecord, source: Source, run: CrawlRun
) -> None:
    second = await read_with_validators(record, source, run)
    with record.writing() as tx:
        document_id = LiveDocumentRecords(tx).document_at(source.id, URL)
        assert document_id is not None
        DocumentRecords(tx).retire_document(source.agent_id, document_id)
        CrawlPageRecords(tx).add_pages(second.id, queued(URL))
        assert CrawlPageRecords(tx).take_pages(second.id, 1) == queued(URL)
