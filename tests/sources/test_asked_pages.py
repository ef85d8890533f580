"""Some pages of a source read because somebody says that they changed; the rest is not touched."""

from app.core.list_page import PageRequest
from app.knowledge.document import PageContent
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, RunState
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words
from tests.sources.test_run_execution import reading, start_run

A, B, C = (f"https://shop.example/{name}" for name in "abc")
SITE: dict[str, PageContent | str] = {
    A: page("/a", words(15, "apple")),
    B: page("/b", words(15, "banana")),
    C: page("/c", words(15, "cherry")),
}


async def ask(house: KnowledgeHouse, *urls: str) -> CrawlRun:
    with house.record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(house.agent_id, house.source.id, only_asked=True)
        CrawlPageRecords(tx).ask_again(run.id, urls)
        return run


async def read(house: KnowledgeHouse, reader: ScriptedSiteReader, run: CrawlRun) -> CrawlRun:
    report = await reading(house, reader).read(run.id)
    assert report is not None
    return report.run


async def known(house: KnowledgeHouse) -> None:
    await read(house, ScriptedSiteReader(SITE), await start_run(house))


async def test_only_the_pages_that_were_asked_for_are_read(house: KnowledgeHouse) -> None:
    await known(house)
    reader = ScriptedSiteReader(
        {**SITE, A: page("/a", words(15, "apricot")), B: "not_found", C: page("/c", words(15, "changed"))}
    )

    run = await read(house, reader, await ask(house, A, B, "https://shop.example/d"))

    assert reader.asked == [A, B, "https://shop.example/d"]
    assert (run.state, run.only_asked) == (RunState.FINISHED, True)
    assert run.stop_reason == "The requested pages were read."
    assert run.counts == {"indexed": 1, "not_found": 2}
    assert await house.live_texts() == [words(15, "apricot"), words(15, "cherry")]
    await house.assert_in_step()


async def test_what_was_not_asked_for_is_not_missed(house: KnowledgeHouse) -> None:
    await known(house)
    for _ in range(4):
        await read(house, ScriptedSiteReader(SITE), await ask(house, A))
    assert len(await house.live_texts()) == 3


async def test_the_next_whole_reading_knows_the_pages_of_the_last_whole_one(house: KnowledgeHouse) -> None:
    await known(house)
    await read(house, ScriptedSiteReader(SITE), await ask(house, A))

    whole = ScriptedSiteReader(SITE, found=[A])
    run = await read(house, whole, await start_run(house))

    assert sorted(whole.asked) == [A, B, C]
    assert not run.only_asked


async def test_a_page_that_was_just_read_is_read_again_when_it_is_asked_for(house: KnowledgeHouse) -> None:
    run = await start_run(house)

    async def publish_a(url: str) -> None:
        if url == C:
            await ask(house, A)

    reader = ScriptedSiteReader(SITE, publish_a)
    ended = await read(house, reader, run)

    assert reader.asked == [A, B, C, A]
    assert ended.counts == {"indexed": 2, "unchanged": 1}
    assert not ended.only_asked


async def test_pages_that_are_asked_for_at_the_last_moment_are_read_before_the_run_ends(house: KnowledgeHouse) -> None:
    await known(house)
    run = await ask(house, A)

    class AskedAtTheEnd(ScriptedSiteReader):
        async def read(self, *args: object, **more: object):  # type: ignore[no-untyped-def]
            summary = await super().read(*args, **more)  # type: ignore[arg-type]
            if B not in self.asked:
                await ask(house, B)
            return summary

    reader = AskedAtTheEnd(SITE)
    ended = await read(house, reader, run)

    assert reader.asked == [A, B]
    assert (ended.state, ended.counts) == (RunState.FINISHED, {"unchanged": 2})


async def test_a_whole_reading_that_is_asked_for_meanwhile_takes_over(house: KnowledgeHouse) -> None:
    await known(house)
    run = await ask(house, A)

    async def ask_for_all(url: str) -> None:
        await start_run(house)

    reader = ScriptedSiteReader(SITE, ask_for_all)
    ended = await read(house, reader, run)

    assert reader.asked == [A, B, C]
    assert not ended.only_asked
    assert ended.stop_reason == "Every page of the source was visited."


async def test_a_paused_reading_keeps_the_pages_until_it_goes_on(house: KnowledgeHouse) -> None:
    run = await start_run(house)
    with house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED)

    assert (await ask(house, A)).id == run.id

    with house.record.reading() as tx:
        assert CrawlRunRecords(tx).run(run.id).state is RunState.PAUSED
        assert [page.url for page in CrawlPageRecords(tx).pages(run.id, PageRequest()).items] == [A]
