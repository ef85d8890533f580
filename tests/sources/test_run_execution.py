"""A run from queued to its end."""

from collections.abc import Collection
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.core.errors import IndexUnavailable, InvalidInput
from app.core.list_page import PageRequest
from app.knowledge.document import PageContent
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.records import SourceAccessRecords, SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_execution import RunExecution
from app.sources.runs.run_pages import MissedPages
from app.sources.source import (
    AccessKind,
    CrawlRun,
    PageStatus,
    RunState,
    Source,
    SourceAccess,
    SourceConfig,
)
from app.store.tables.conversations import OUTBOX
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words

A, B, C = (f"https://shop.example/{name}" for name in "abc")
SITE: dict[str, PageContent | str] = {
    A: page("/a", words(15, "apple")),
    B: page("/b", words(15, "banana")),
    C: page("/c", words(15, "cherry")),
}


async def start_run(house: KnowledgeHouse, source: Source | None = None) -> CrawlRun:
    return await house.record.write(
        lambda tx: CrawlRunRecords(tx).start_run(house.agent_id, (source or house.source).id)
    )


async def pages_of(house: KnowledgeHouse, run_id: UUID) -> dict[str, PageStatus]:
    return await house.record.read(
        lambda tx: {item.url: item for item in CrawlPageRecords(tx).pages(run_id, PageRequest(200)).items}
    )


def reading(house: KnowledgeHouse, reader: ScriptedSiteReader) -> RunExecution:
    return RunExecution(house.record, reader, house.given, house.ingest, house.retire, house.repeated)


async def read(house: KnowledgeHouse, site: dict[str, PageContent | str]) -> CrawlRun:
    run = await start_run(house)
    report = await reading(house, ScriptedSiteReader(site)).read(run.id)
    assert report is not None
    return report.run


async def test_every_page_is_learnt_and_settled_with_what_became_of_it(house: KnowledgeHouse) -> None:
    twin = "https://shop.example/twin"
    run = await read(house, SITE | {twin: page("/twin", words(15, "apple")), "https://shop.example/x": "login_wall"})

    assert run.state is RunState.FINISHED
    assert run.stop_reason == "Every page of the source was visited."
    assert run.counts == {"indexed": 3, "duplicate": 1, "login_wall": 1}
    settled = await pages_of(house, run.id)
    assert (settled[A].status, settled[A].chunks) == ("indexed", 1)
    assert settled[twin].reason == f"It has the same text as {A}."
    assert settled["https://shop.example/x"].reason == "It is login_wall."
    await house.assert_in_step()


async def test_a_page_of_two_sources_is_known_and_no_twin_of_itself(house: KnowledgeHouse) -> None:
    await read(house, SITE)
    other = await house.add_source(SourceConfig(kinds.URL, "One page", url=A))
    run = await start_run(house, other)

    report = await reading(house, ScriptedSiteReader({A: SITE[A]})).read(run.id)

    assert report is not None
    assert report.run.counts == {"unchanged": 1}
    assert (await pages_of(house, run.id))[A].reason == "Another source of this agent already covers this page."
    await house.assert_in_step()


async def test_a_second_reading_asks_what_has_changed(house: KnowledgeHouse) -> None:
    await read(house, SITE)
    house.clock.advance(24 * 3600)

    run = await read(house, SITE | {B: page("/b", words(15, "blueberry"))})

    assert run.counts == {"unchanged": 2, "indexed": 1}
    settled = await pages_of(house, run.id)
    with house.record.reading() as tx:
        assert settled[A].document_id == LiveDocumentRecords(tx).document_at(house.source.id, A)
        documents = LiveDocumentRecords(tx).page(house.agent_id, PageRequest()).items
    assert {document.as_of for document in documents} == {house.clock.now().date()}


async def test_a_page_that_is_known_by_another_address_is_as_of_today_as_well(house: KnowledgeHouse) -> None:
    site: dict[str, PageContent | str] = {A: page("/its-own-address", words(15, "apple"))}
    await read(house, site)
    house.clock.advance(24 * 3600)

    run = await read(house, site)

    assert run.counts == {"unchanged": 1}
    with house.record.reading() as tx:
        [document] = LiveDocumentRecords(tx).page(house.agent_id, PageRequest()).items
    assert (document.url, document.as_of) == ("https://shop.example/its-own-address", house.clock.now().date())


@pytest.mark.parametrize("status", ["not_found", "gone", "noindex"])
async def test_a_page_that_the_site_took_away_is_retired_at_once(house: KnowledgeHouse, status: str) -> None:
    await read(house, SITE)

    await read(house, SITE | {A: status})

    assert await house.live_texts() == [words(15, "banana"), words(15, "cherry")]
    await house.assert_in_step()


@pytest.mark.parametrize("status", ["unreachable", "timed_out", "http_error", "login_wall", "blocked_by_robots"])
async def test_a_page_that_cannot_be_read_today_stays(house: KnowledgeHouse, status: str) -> None:
    await read(house, SITE)

    await read(house, SITE | {A: status})

    assert len(await house.live_texts()) == 3


async def test_pages_behind_an_unchanged_start_are_asked_without_its_links(house: KnowledgeHouse) -> None:
    await read(house, SITE | {C: "timed_out"})

    now = {A: SITE[A], C: SITE[C]}
    report = await reading(house, ScriptedSiteReader(now, found=[A])).read((await start_run(house)).id)

    assert report is not None
    assert report.run.counts == {"unchanged": 1, "not_found": 1, "indexed": 1}
    assert await house.live_texts() == [words(15, "apple"), words(15, "cherry")]
    assert set(await pages_of(house, (await read(house, {A: SITE[A]})).id)) == {A, C}


async def test_an_entry_that_has_left_its_feed_is_asked_all_the_same(house: KnowledgeHouse) -> None:
    feed = await house.add_source(SourceConfig(kinds.FEED, "Blog", "https://shop.example/feed.xml"))
    await reading(house, ScriptedSiteReader(SITE)).read((await start_run(house, feed)).id)

    report = await reading(house, ScriptedSiteReader(SITE, found=[C])).read((await start_run(house, feed)).id)

    assert report is not None
    assert report.run.counts == {"unchanged": 3}


async def test_a_page_that_leads_elsewhere_now_keeps_one_document(house: KnowledgeHouse) -> None:
    await read(house, {A: SITE[A]})

    await read(house, {A: page("/moved", words(15, "avocado"))})

    with house.record.reading() as tx:
        [document] = LiveDocumentRecords(tx).page(house.agent_id, PageRequest()).items
    assert document.url == "https://shop.example/moved"
    await house.assert_in_step()


async def test_a_run_goes_on_where_a_dead_process_was(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def die_at_b(url: str) -> None:
        if url == B:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await reading(house, ScriptedSiteReader(SITE, die_at_b)).read(run.id)
    survivor = ScriptedSiteReader(SITE)
    report = await reading(house, survivor).read(run.id)

    assert report is not None
    assert survivor.asked == [B, C]
    assert report.run.counts == {"indexed": 3}


async def test_a_cancelled_run_stops_and_stays_cancelled(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def cancel(url: str) -> None:
        await house.record.write(
            lambda tx: CrawlRunRecords(tx).set_run_state(
                run.id, RunState.CANCELLED, "An operator cancelled the reading."
            )
        )

    reader = ScriptedSiteReader(SITE, cancel)
    report = await reading(house, reader).read(run.id)

    assert report is not None
    assert reader.asked == [A]
    assert report.run.state is RunState.CANCELLED
    assert report.missed == MissedPages()


async def test_a_paused_run_keeps_its_place_and_goes_on(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def pause_at_b(url: str) -> None:
        if url == B:
            await house.record.write(lambda tx: CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED))

    first = ScriptedSiteReader(SITE, pause_at_b)
    paused = await reading(house, first).read(run.id)
    assert paused is not None
    assert (paused.run.state, paused.run.counts, paused.run.ended_at) == (
        RunState.PAUSED, {"indexed": 2, "queued": 1}, None
    )  # fmt: skip
    assert await reading(house, ScriptedSiteReader(SITE)).read(run.id) == paused  # it rests

    with house.record.writing() as tx:
        resumed = CrawlRunRecords(tx).resume_run(run.id)
    second = ScriptedSiteReader(SITE)
    report = await reading(house, second).read(run.id, resumed.leg)
    assert report is not None
    assert (first.asked, second.asked) == ([A, B], [C])
    assert (report.run.state, report.run.counts) == (RunState.FINISHED, {"indexed": 3})


async def test_a_reader_that_missed_pause_and_resume_leaves_the_run_to_the_next(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def pause_and_resume(url: str) -> None:
        with house.record.writing() as tx:
            CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED)
            CrawlRunRecords(tx).resume_run(run.id)

    late = ScriptedSiteReader(SITE, pause_and_resume)
    report = await reading(house, late).read(run.id)
    assert report is not None
    assert (late.asked, report.run.state, report.run.leg) == ([A], RunState.QUEUED, 2)
    again = await reading(house, ScriptedSiteReader(SITE)).read(run.id)  # leg 1 was asked for twice
    assert again is not None
    assert again.run.state is RunState.QUEUED


async def test_a_paused_run_does_not_fail(house: KnowledgeHouse) -> None:
    run = await start_run(house)
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED)
    await reading(house, ScriptedSiteReader({})).fail(run.id, "The worker died.")
    with house.record.reading() as tx:
        assert CrawlRunRecords(tx).run(run.id).state is RunState.PAUSED


async def test_operators_may_hear_of_a_run_that_failed_once(house: KnowledgeHouse) -> None:
    run = await start_run(house)
    for _ in range(2):
        await reading(house, ScriptedSiteReader({})).fail(run.id, "The worker died.")
    with house.record.reading() as tx:
        [(kind, payload)] = tx.connection.execute(select(OUTBOX.c.kind, OUTBOX.c.payload)).all()
    assert kind == "source.failed"
    assert payload == {"source_id": str(run.source_id), "run_id": str(run.id), "kept_pages": 0}


async def test_a_run_that_has_ended_is_no_work(house: KnowledgeHouse) -> None:
    run = await read(house, SITE)
    again = ScriptedSiteReader(SITE)

    report = await reading(house, again).read(run.id)

    assert report is not None
    assert report.run == run
    assert again.asked == []


async def test_a_run_whose_source_was_deleted_is_no_work(house: KnowledgeHouse) -> None:
    run = await start_run(house)
    await house.retire.source(house.agent_id, house.source.id)

    assert await reading(house, ScriptedSiteReader(SITE)).read(run.id) is None
    assert await reading(house, ScriptedSiteReader(SITE)).read(uuid4()) is None


async def test_a_source_that_is_deleted_while_it_is_read_ends_the_reading(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def delete(url: str) -> None:
        if url == B:
            await house.retire.source(house.agent_id, house.source.id)

    assert await reading(house, ScriptedSiteReader(SITE, delete)).read(run.id) is None

    await house.reconcile.all_agents()
    assert await house.live_ids() == set()
    await house.assert_in_step()


async def test_a_source_that_cannot_be_read_fails_with_the_reason(house: KnowledgeHouse) -> None:
    async def refuse(url: str) -> None:
        raise InvalidInput("url", "10.0.0.1 is a private network")

    run = await start_run(house)
    report = await reading(house, ScriptedSiteReader(SITE, refuse)).read(run.id)

    assert report is not None
    assert report.run.state is RunState.FAILED
    assert report.run.stop_reason == "url: 10.0.0.1 is a private network"


async def test_a_fault_of_our_own_fails_the_run_without_its_secrets(house: KnowledgeHouse) -> None:
    async def break_down(url: str) -> None:
        raise KeyError("internal detail")

    run = await start_run(house)
    report = await reading(house, ScriptedSiteReader(SITE, break_down)).read(run.id)

    assert report is not None
    assert report.run.state is RunState.FAILED
    assert report.run.stop_reason == "Docent itself failed (KeyError); the worker's log has the details."


async def test_one_odd_page_does_not_cost_the_others(house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = type(house.chunker).cut

    def stumble(self: object, content: PageContent, without: Collection[str]) -> object:
        if content.url == B:
            raise RecursionError
        return cut(house.chunker, content, without)

    monkeypatch.setattr(type(house.chunker), "cut", stumble)
    run = await read(house, {A: SITE[A], B: SITE[B]})

    assert run.counts == {"indexed": 1, "failed": 1}
    assert (await pages_of(house, run.id))[B].reason == "The page could not be indexed (RecursionError)."


async def test_an_index_that_is_away_leaves_the_run_running_for_another_try(house: KnowledgeHouse) -> None:
    run = await start_run(house)
    house.vectors.is_down = True
    with pytest.raises(IndexUnavailable):
        await reading(house, ScriptedSiteReader(SITE)).read(run.id)
    with house.record.reading() as tx:
        assert CrawlRunRecords(tx).run(run.id).state is RunState.RUNNING

    house.vectors.is_down = False
    report = await reading(house, ScriptedSiteReader(SITE)).read(run.id)

    assert report is not None
    assert report.run.counts == {"indexed": 3}
    await house.assert_in_step()


async def test_a_text_is_one_document_that_follows_its_edits(house: KnowledgeHouse) -> None:
    config = SourceConfig(kinds.TEXT, "Opening hours", text="Open from nine to five.")
    source = await house.add_source(config)
    first = await start_run(house, source)
    await reading(house, ScriptedSiteReader({})).read(first.id)
    assert await house.live_texts() == ["Open from nine to five."]

    with house.record.writing() as tx:
        SourceRecords(tx).save(
            house.agent_id, source.id, SourceConfig(kinds.TEXT, "Opening hours", text="Open all night.")
        )
    second = await start_run(house, source)
    report = await reading(house, ScriptedSiteReader({})).read(second.id)

    assert report is not None
    assert (report.run.state, report.run.counts) == (RunState.FINISHED, {"indexed": 1})
    assert await house.live_texts() == ["Open all night."]
    assert list(await pages_of(house, second.id)) == [f"urn:uuid:{source.id}"]


async def test_a_reading_sends_what_the_website_asks_for(house: KnowledgeHouse) -> None:
    access = SourceAccess(AccessKind.COOKIE, "session", "opensesame")
    run = await start_run(house)
    await house.record.write(lambda tx: SourceAccessRecords(tx).set(run.source_id, access))
    reader = ScriptedSiteReader(SITE)
    await reading(house, reader).read(run.id)
    assert reader.access == access


async def test_what_many_pages_of_a_website_say_is_left_out_at_the_end_and_told_of(house: KnowledgeHouse) -> None:
    repeated = "## Need more help?\n\nWrite to us at any time."
    own: dict[str, PageContent | str] = {
        f"https://shop.example/{n}": page(f"/{n}", f"# {n}\n\n{words(12, f'w{n}')}\n\n{repeated}") for n in range(6)
    }
    await read(house, SITE | own)
    assert not any("Need more help?" in text for text in await house.live_texts())
    source = await house.record.read(lambda tx: SourceRecords(tx).source(house.agent_id, house.source.id))
    assert [(text.heading, text.text, text.pages) for text in source.left_out] == [
        ("Need more help?", "Write to us at any time.", 6)
    ]
