"""What operators gave themselves is read like a page of a website."""

from dataclasses import replace

from app.core.list_page import PageRequest
from app.core.search_filter import AttributeFilter, SearchFilter
from app.core.source_file import FileFormat
from app.knowledge.document import Document, PageContent
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind
from app.sources.deletions.records import DeletionRecords
from app.sources.files.records import FileRecords, GivenDocumentRecords
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, PageStatus, RunState, Source, SourceConfig
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.knowledge.knowledge_house import KnowledgeHouse
from tests.sources.test_run_execution import pages_of, reading, start_run

FILE = SourceConfig(kinds.FILE, "manual.txt")
BODY = b"The manual\nPress the green button."


async def a_file(house: KnowledgeHouse, config: SourceConfig = FILE, body: bytes = BODY) -> Source:
    source = await house.add_source(config)
    await put(house, source, body)
    return source


async def put(house: KnowledgeHouse, source: Source, body: bytes) -> None:
    await house.record.write(lambda tx: FileRecords(tx).put(source.id, "manual.txt", FileFormat.TEXT, body))


async def read(house: KnowledgeHouse, source: Source) -> tuple[CrawlRun, PageStatus]:
    run = await start_run(house, source)
    report = await reading(house, ScriptedSiteReader({})).read(run.id)
    assert report is not None
    [page] = (await pages_of(house, run.id)).values()
    return report.run, page


async def documents(house: KnowledgeHouse) -> list[Document]:
    return await house.record.read(lambda tx: list(LiveDocumentRecords(tx).page(house.agent_id, PageRequest()).items))


async def test_a_file_is_learnt_under_its_own_title(house: KnowledgeHouse) -> None:
    source = await a_file(house)

    run, page = await read(house, source)

    assert (run.state, run.stop_reason) == (RunState.FINISHED, "The file was read.")
    assert (page.status, page.url) == ("indexed", f"urn:uuid:{source.id}")
    [document] = await documents(house)
    assert (document.title, document.url) == ("The manual", f"urn:uuid:{source.id}")
    assert await house.live_texts() == ["Press the green button."]


async def test_the_name_and_address_that_an_operator_gave_are_cited(house: KnowledgeHouse) -> None:
    url = "https://www.example.com/manual.pdf"
    await read(house, await a_file(house, replace(FILE, name="Manual of the One", url=url)))
    [document] = await documents(house)
    assert (document.title, document.url) == ("Manual of the One", url)


async def test_a_file_that_has_not_changed_embeds_nothing(house: KnowledgeHouse) -> None:
    source = await a_file(house)
    await read(house, source)
    embedded = len(house.embedder.embedded)

    await put(house, source, BODY)
    _, page = await read(house, source)

    assert page.status == "unchanged"
    assert len(house.embedder.embedded) == embedded


async def test_another_file_takes_the_place_of_the_first(house: KnowledgeHouse) -> None:
    source = await a_file(house)
    await read(house, source)

    await put(house, source, b"The manual\nPress the red button.")
    await read(house, source)

    assert await house.live_texts() == ["Press the red button."]
    await house.assert_in_step()


async def test_a_file_that_cannot_be_read_says_why_and_leaves_what_was_learnt(house: KnowledgeHouse) -> None:
    source = await a_file(house)
    await read(house, source)

    await put(house, source, b"broken")
    run, page = await read(house, source)

    assert run.stop_reason == "The file could not be read: The file is broken. Save it again."
    assert (page.status, page.reason) == ("failed", "The file is broken. Save it again.")
    assert await house.live_texts() == ["Press the green button."]


async def test_another_address_moves_the_document(house: KnowledgeHouse) -> None:
    source = await a_file(house)
    await read(house, source)

    url = "https://www.example.com/manual.pdf"
    with house.record.writing() as tx:
        SourceRecords(tx).save(house.agent_id, source.id, replace(FILE, url=url))
    await read(house, source)

    assert [document.url for document in await documents(house)] == [url]
    await house.assert_in_step()


async def test_a_text_keeps_the_name_that_the_operator_gave_it(house: KnowledgeHouse) -> None:
    await read(house, await house.add_source(SourceConfig(kinds.TEXT, "Opening hours", text="From 9 to 5.")))
    [document] = await documents(house)
    assert document.title == "Opening hours"


DOCUMENTS = SourceConfig(kinds.DOCUMENTS, "Tariffs")


async def give(house: KnowledgeHouse, source: Source, name: str, text: str, **attributes: str) -> str:
    url = f"https://www.example.com/{name}"
    values = {each: (value,) for each, value in attributes.items()}
    await house.record.write(
        lambda tx: GivenDocumentRecords(tx).put(source.id, PageContent(url, name, text, attributes=values))
    )
    return url


async def test_documents_are_learnt_each_at_its_own_address_with_its_attributes(house: KnowledgeHouse) -> None:
    source = await house.add_source(DOCUMENTS)
    await give(house, source, "basic", "Basic is free for ever.", plan="basic")
    await give(house, source, "pro", "Pro costs five euros a month.", plan="pro")
    run = await start_run(house, source)
    await reading(house, ScriptedSiteReader({})).read(run.id)
    found = {document.title: document.attributes for document in await documents(house)}
    assert found == {"basic": {"plan": ("basic",)}, "pro": {"plan": ("pro",)}}
    only = SearchFilter(attributes=(AttributeFilter("plan", ("pro",)),))
    with house.record.reading() as tx:
        assert len(LiveDocumentRecords(tx).versions_passing(house.agent_id, [only])) == 1


async def test_a_document_that_was_taken_away_is_answered_from_no_more(house: KnowledgeHouse) -> None:
    source = await house.add_source(DOCUMENTS)
    url = await give(house, source, "basic", "Basic is free for ever.")
    await give(house, source, "pro", "Pro costs five euros a month.")
    run = await start_run(house, source)
    await reading(house, ScriptedSiteReader({})).read(run.id)
    with house.record.writing() as tx:
        GivenDocumentRecords(tx).remove(source.id, url)
        asked = CrawlRunRecords(tx).start_run(house.agent_id, source.id, only_asked=True)
        CrawlPageRecords(tx).ask_again(asked.id, [url])
    await reading(house, ScriptedSiteReader({})).read(asked.id)
    assert [document.title for document in await documents(house)] == ["pro"]
    assert {page.status for page in (await pages_of(house, asked.id)).values()} == {"gone"}


async def test_a_document_that_was_deleted_is_not_learnt_again(house: KnowledgeHouse) -> None:
    source = await house.add_source(DOCUMENTS)
    await give(house, source, "basic", "Basic is free for ever.")
    kept = await give(house, source, "pro", "Pro costs five euros a month.")
    run = await start_run(house, source)
    await reading(house, ScriptedSiteReader({})).read(run.id)
    [deleted] = [document for document in await documents(house) if document.title == "basic"]
    with house.record.writing() as tx:
        DeletionRecords(tx).erase(house.workspace_id, DeletedKind.DOCUMENT, deleted.id)
        assert GivenDocumentRecords(tx).urls(source.id) == [kept]
    run = await start_run(house, source)
    await reading(house, ScriptedSiteReader({})).read(run.id)
    assert [document.title for document in await documents(house)] == ["pro"]
