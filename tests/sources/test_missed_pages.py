"""A page that three readings in a row could not find is retired; one bad day of the site retires nothing."""

from collections.abc import Mapping

import pytest

from app.core.list_page import PageRequest
from app.knowledge.document import PageContent
from app.sources import kinds
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_execution import RunExecution, RunReport
from app.sources.runs.run_progress import PageEnd, is_telling, miss_reason
from app.sources.runs.site_reader import RunSummary
from app.sources.source import CrawlRun, RunState, Source, SourceConfig
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.every_row import every_row
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words

Site = Mapping[str, PageContent | str]

A, B, C = (f"https://shop.example/{name}" for name in "abc")
SITE: Site = {
    A: page("/a", words(15, "apple")),
    B: page("/b", words(15, "banana")),
    C: page("/c", words(15, "cherry")),
}
WITHOUT_A = {url: content for url, content in SITE.items() if url != A}
A_IS_AWAY = {**SITE, A: "timed_out"}
ALL_STAY = [words(15, topic) for topic in ("apple", "banana", "cherry")]
A_LEFT = ALL_STAY[1:]


class HalfRead(ScriptedSiteReader):
    """Its readings do not go through the whole site."""

    async def read(self, *args: object, **more: object) -> RunSummary:
        await super().read(*args, **more)  # type: ignore[arg-type]
        return RunSummary("The limit of 3 pages was reached; there are more.", is_complete=False)


async def listed_source(house: KnowledgeHouse) -> Source:
    """Its pages are those that its sitemap lists today."""
    return await house.add_source(SourceConfig(kinds.SITEMAP, "Shop", url="https://shop.example/sitemap.xml"))


async def read(
    house: KnowledgeHouse, site: Site, source: Source, reader: type[ScriptedSiteReader] = ScriptedSiteReader
) -> RunReport:
    run = await house.record.write(lambda tx: CrawlRunRecords(tx).start_run(house.agent_id, source.id))
    report = await RunExecution(
        house.record, reader(site), house.given, house.ingest, house.retire, house.repeated
    ).read(run.id)
    assert report is not None
    assert report.run.state is RunState.FINISHED
    return report


async def reasons(house: KnowledgeHouse, run: CrawlRun) -> dict[str, tuple[str, str]]:
    pages = await house.record.read(lambda tx: CrawlPageRecords(tx).pages(run.id, PageRequest(200)).items)
    return {page.url: (page.status, page.reason) for page in pages}


async def test_a_page_that_no_sitemap_lists_is_retired_by_the_third_reading(house: KnowledgeHouse) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)

    for _ in range(2):
        report = await read(house, WITHOUT_A, source)
        assert report.run.stop_reason.endswith("Not found, but kept for now: 1 document of earlier readings.")
        assert await house.live_texts() == ALL_STAY
    report = await read(house, WITHOUT_A, source)

    assert await house.live_texts() == A_LEFT
    assert report.run.stop_reason.endswith("1 document, missed 3 times in a row, was retired.")
    assert (await reasons(house, report.run))[A] == (
        "retired",
        "Missed 3 times in a row, so answers no longer use it. No page of the source links to it.",
    )
    await house.assert_in_step()


@pytest.mark.parametrize("status", ["timed_out", "unreachable", "out_of_scope"])
async def test_a_page_that_gives_no_answer_three_times_is_retired_with_its_reason(
    house: KnowledgeHouse, status: str
) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for _ in range(2):
        await read(house, {**SITE, A: status}, source)
        assert await house.live_texts() == ALL_STAY

    report = await read(house, {**SITE, A: status}, source)

    assert await house.live_texts() == A_LEFT
    assert (await reasons(house, report.run))[A][1].endswith(f"It is {status}.")
    await house.assert_in_step()


async def test_a_page_that_is_seen_again_is_counted_from_the_beginning(house: KnowledgeHouse) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for site in (A_IS_AWAY, WITHOUT_A, SITE, A_IS_AWAY, WITHOUT_A):
        await read(house, site, source)
    assert await house.live_texts() == ALL_STAY

    await read(house, A_IS_AWAY, source)
    assert await house.live_texts() == A_LEFT


async def test_a_page_that_comes_back_after_it_was_retired_is_learnt_again(house: KnowledgeHouse) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for _ in range(3):
        await read(house, WITHOUT_A, source)

    await read(house, SITE, source)

    assert await house.live_texts() == ALL_STAY
    await house.assert_in_step()


@pytest.mark.parametrize("status", ["login_wall", "blocked_by_robots", "empty_text", "rate_limited", "http_error"])
async def test_a_page_that_is_there_but_cannot_be_read_stays(house: KnowledgeHouse, status: str) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for _ in range(4):
        await read(house, {**SITE, A: status}, source)
    assert await house.live_texts() == ALL_STAY


async def test_an_hour_in_which_most_of_the_site_is_down_counts_for_nothing(house: KnowledgeHouse) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for _ in range(4):
        report = await read(house, {A: "unreachable", B: "timed_out", C: SITE[C]}, source)
        assert report.missed.missed == 0
    assert await house.live_texts() == ALL_STAY


async def test_a_reading_that_is_not_complete_counts_for_nothing(house: KnowledgeHouse) -> None:
    source = await listed_source(house)
    await read(house, SITE, source)
    for _ in range(4):
        await read(house, WITHOUT_A, source, HalfRead)
    assert await house.live_texts() == ALL_STAY


@every_row(
    ("ends", "is_missed"),
    [
        ([], True),
        ([PageEnd(A, "http_error", "503", 503)], True),
        ([PageEnd(A, "http_error", "451", 451)], False),
        ([PageEnd(A, "timed_out", "30 s"), PageEnd(B, "login_wall", "403", 403)], False),
        ([PageEnd(A, "not_found", "404", 404)], True),
    ],
    ids=[
        "nothing leads there",
        "a server error",
        "a refusal",
        "one of two addresses answers",
        "its old address is gone",
    ],
)
def test_a_document_is_missed_when_none_of_its_addresses_answers(ends: list[PageEnd], is_missed: bool) -> None:
    assert (miss_reason(ends) is not None) is is_missed


def test_a_reading_tells_something_when_at_least_half_of_it_was_answered() -> None:
    assert is_telling({"unchanged": 5, "timed_out": 5})
    assert not is_telling({"unchanged": 4, "timed_out": 3, "http_error": 2})
    assert is_telling({})
