"""A website that cannot be read fails, and says how many of its earlier pages answers still use."""

import pytest
from sqlalchemy import select

from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import RunState
from app.store.tables.conversations import OUTBOX
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.knowledge.knowledge_house import KnowledgeHouse
from tests.sources.test_run_execution import SITE, A, B, read, reading


async def test_a_website_of_which_nothing_can_be_read_has_failed_and_operators_hear_of_it(
    house: KnowledgeHouse,
) -> None:
    await read(house, SITE)

    run = await read(house, dict.fromkeys(SITE, "unreachable"))

    assert (run.state, run.kept_pages) == (RunState.FAILED, 3)
    assert run.stop_reason == "No page could be read: It is unreachable."
    assert len(await house.live_texts()) == 3
    with house.record.reading() as tx:
        [payload] = tx.connection.scalars(select(OUTBOX.c.payload)).all()
    assert payload == {"source_id": str(run.source_id), "run_id": str(run.id), "kept_pages": 3}


@pytest.mark.parametrize("status", ["login_wall", "blocked_by_robots", "not_found", "noindex", "empty_text"])
async def test_a_first_reading_that_learns_nothing_has_failed(house: KnowledgeHouse, status: str) -> None:
    run = await read(house, dict.fromkeys(SITE, status))

    assert (run.state, run.kept_pages) == (RunState.FAILED, 0)
    assert run.stop_reason == f"No page could be read: It is {status}."


async def test_pages_that_cannot_be_read_any_more_are_counted_while_answers_use_them(house: KnowledgeHouse) -> None:
    await read(house, SITE)

    first = await read(house, SITE | {A: "timed_out", B: "http_error"})
    later = [await read(house, SITE | {A: "timed_out", B: "not_found"}) for _ in range(3)]

    assert (first.state, first.kept_pages) == (RunState.FINISHED, 2)
    assert [run.kept_pages for run in later] == [1, 1, 0], "missed three times in a row, the page is retired"
    assert (await read(house, SITE)).kept_pages == 0


async def test_a_few_requested_pages_that_do_not_respond_say_nothing_about_the_website(house: KnowledgeHouse) -> None:
    await read(house, SITE)
    with house.record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(house.agent_id, house.source.id, only_asked=True)
        CrawlPageRecords(tx).ask_again(run.id, [A])

    report = await reading(house, ScriptedSiteReader(SITE | {A: "timed_out"})).read(run.id)

    assert report is not None
    assert (report.run.state, report.run.kept_pages) == (RunState.FINISHED, 1)
