"""What learning a page changes, and what it leaves alone."""

import asyncio
import sqlite3
import threading
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import pytest
from anyio import from_thread

from app.agents.records import AgentRecords
from app.core.chunk import ChunkDraft
from app.core.errors import EmbedderUnavailable
from app.core.list_page import PageRequest
from app.knowledge import ingest
from app.knowledge.chunker import Chunker
from app.knowledge.document import IngestOutcome, IngestReceipt, PageContent, PageTexts
from app.knowledge.ingest import page_hash
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.source import SourceConfig
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words


async def generation(house: KnowledgeHouse) -> int:
    return await house.record.read(lambda tx: AgentRecords(tx).agent(house.workspace_id, house.agent_id).generation)


async def test_a_new_page_is_live_in_every_store(house: KnowledgeHouse) -> None:
    receipt = await house.ingest.learn(house.agent_id, house.source.id, page())

    assert (receipt.outcome, receipt.chunks, receipt.embedded) == (IngestOutcome.INDEXED, 3, 3)
    assert " ".join(await house.live_texts()) == words(45)
    assert len(await house.live_ids()) == 3
    await house.assert_in_step()
    assert await generation(house) == 1


async def test_an_unchanged_page_is_only_touched(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    house.clock.advance(3 * 24 * 3600)

    receipt = await house.ingest.learn(house.agent_id, house.source.id, replace(page(), description="new"))

    assert (receipt.outcome, receipt.embedded) == (IngestOutcome.UNCHANGED, 0)
    assert len(house.embedder.embedded) == 3
    assert await generation(house) == 1
    with house.record.reading() as tx:
        [chunk] = list(LiveDocumentRecords(tx).live_chunks(house.agent_id, list(await house.live_ids())[:1]).values())
    assert chunk.as_of == house.clock.now().date()


async def test_a_changed_page_replaces_what_was_known(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    first = await house.live_ids()

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page(text=words(25, "fresh")))

    assert receipt.outcome is IngestOutcome.INDEXED
    assert " ".join(await house.live_texts()) == words(25, "fresh")
    assert first.isdisjoint(await house.live_ids())
    await house.assert_in_step()


async def test_passages_that_stayed_are_not_embedded_again(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page(text=words(40)))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page(text=f"{words(40)} and one more thing"))

    assert (receipt.chunks, receipt.embedded) == (3, 1)


async def test_a_page_with_the_content_of_another_is_a_duplicate(house: KnowledgeHouse) -> None:
    original = await house.ingest.learn(house.agent_id, house.source.id, page("/a"))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page("/b"))

    assert receipt == IngestReceipt(IngestOutcome.DUPLICATE, original.document_id)
    assert len(await house.live_ids()) == 3


async def test_the_same_page_in_another_source_is_a_duplicate(house: KnowledgeHouse) -> None:
    other = await house.add_source(SourceConfig(kinds.URL, "One page", url="https://shop.example/help"))
    await house.ingest.learn(house.agent_id, house.source.id, page())

    receipt = await house.ingest.learn(house.agent_id, other.id, page())

    assert receipt.outcome is IngestOutcome.DUPLICATE


async def test_a_page_that_differs_in_a_date_only_is_a_duplicate(house: KnowledgeHouse) -> None:
    original = await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Monday"))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page("/a?print", f"{words(200)} on Friday"))

    assert receipt == IngestReceipt(IngestOutcome.DUPLICATE, original.document_id)
    assert "Friday" not in " ".join(await house.live_texts())


async def test_pages_are_compared_beside_the_event_loop_while_others_may_write(
    house: KnowledgeHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Monday"))
    threads: list[int] = []

    def compared(texts: Sequence[str], others: Sequence[PageTexts]) -> UUID | None:
        threads.append(threading.get_ident())
        with closing(sqlite3.connect(tmp_path / "docent.sqlite", timeout=0, isolation_level=None)) as visitor:
            visitor.execute("BEGIN IMMEDIATE")
            visitor.execute("ROLLBACK")
        return compare(texts, others)

    compare = ingest._near_twin_of
    monkeypatch.setattr(ingest, "_near_twin_of", compared)
    receipt = await house.ingest.learn(house.agent_id, house.source.id, page("/a?print", f"{words(200)} on Friday"))
    assert receipt.outcome is IngestOutcome.DUPLICATE
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_page_that_differs_in_a_date_and_its_title_is_a_page(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Monday", "Red"))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page("/b", f"{words(200)} on Friday", "Blue"))

    assert receipt.outcome is IngestOutcome.INDEXED


async def test_another_source_may_correct_a_word(house: KnowledgeHouse) -> None:
    other = await house.add_source(SourceConfig(kinds.URL, "Corrected", url="https://shop.example/new"))
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Monday"))

    receipt = await house.ingest.learn(house.agent_id, other.id, page("/new", f"{words(200)} on Friday"))

    assert receipt.outcome is IngestOutcome.INDEXED


async def test_a_page_may_change_a_word_of_itself(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Monday"))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page("/a", f"{words(200)} on Friday"))

    assert receipt.outcome is IngestOutcome.INDEXED
    assert "Friday" in " ".join(await house.live_texts())


async def test_a_page_that_became_a_duplicate_is_no_longer_answered_from(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page("/a"))
    await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(25, "own")))

    await house.ingest.learn(house.agent_id, house.source.id, page("/b"))

    assert " ".join(await house.live_texts()) == words(45)
    await house.assert_in_step()


async def test_a_page_that_became_empty_is_no_longer_answered_from(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page(text=" \n"))

    assert receipt.outcome is IngestOutcome.EMPTY
    assert await house.live_ids() == set()
    await house.assert_in_step()


async def test_one_content_read_at_two_urls_at_once_is_learnt_once(house: KnowledgeHouse) -> None:
    ingest = house.ingest
    outcomes: list[IngestOutcome] = []

    async def learn(path: str) -> None:
        outcomes.append((await ingest.learn(house.agent_id, house.source.id, page(path))).outcome)

    async with anyio.create_task_group() as tasks:
        for path in ("/a", "/b", "/c"):
            tasks.start_soon(learn, path)

    assert sorted(outcomes) == [IngestOutcome.DUPLICATE, IngestOutcome.DUPLICATE, IngestOutcome.INDEXED]
    await house.assert_in_step()


async def test_a_page_that_another_worker_makes_live_meanwhile_is_no_twin_of_itself(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    others_ingest, ingest = house.ingest, house.ingest
    cut = Chunker.cut

    def cut_after_the_other(chunker: Chunker, content: PageContent, without: Collection[str]) -> list[ChunkDraft]:
        monkeypatch.setattr(Chunker, "cut", cut)
        from_thread.run(others_ingest.learn, house.agent_id, house.source.id, content)
        return cut(chunker, content, without)

    monkeypatch.setattr(Chunker, "cut", cut_after_the_other)
    receipt = await ingest.learn(house.agent_id, house.source.id, page())

    assert receipt.outcome is IngestOutcome.UNCHANGED
    assert " ".join(await house.live_texts()) == words(45)
    assert await generation(house) == 1
    await house.assert_in_step()


async def test_while_the_embedder_is_down_the_old_version_stays(house: KnowledgeHouse) -> None:
    await house.ingest.learn(house.agent_id, house.source.id, page())
    house.embedder.is_down = True

    with pytest.raises(EmbedderUnavailable):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=words(25, "fresh")))
    assert " ".join(await house.live_texts()) == words(45)

    house.embedder.is_down = False
    await house.ingest.learn(house.agent_id, house.source.id, page(text=words(25, "fresh")))
    assert " ".join(await house.live_texts()) == words(25, "fresh")
    await house.assert_in_step()


async def test_the_title_belongs_to_the_content_and_the_dates_do_not(house: KnowledgeHouse) -> None:
    plain = page()

    assert page_hash(plain, "1") != page_hash(page(title="Other"), "1")
    assert page_hash(plain, "1") != page_hash(plain, "2")
    dated = replace(plain, modified=house.clock.now().date(), url="https://x.example/")
    assert page_hash(plain, "1") == page_hash(dated, "1")


async def test_other_attributes_make_a_new_version_and_no_twin(house: KnowledgeHouse) -> None:
    basic = replace(page("/a", f"{words(200)} on Monday"), attributes={"plan": ("basic",)})
    await house.ingest.learn(house.agent_id, house.source.id, basic)
    assert (await house.ingest.learn(house.agent_id, house.source.id, basic)).outcome is IngestOutcome.UNCHANGED
    changed = replace(basic, attributes={"plan": ("basic", "plus")})
    receipt = await house.ingest.learn(house.agent_id, house.source.id, changed)
    assert (receipt.outcome, receipt.embedded) == (IngestOutcome.INDEXED, 0)
    near = replace(page("/b", f"{words(200)} on Friday"), attributes={"plan": ("pro",)})
    assert (await house.ingest.learn(house.agent_id, house.source.id, near)).outcome is IngestOutcome.INDEXED
    with house.record.reading() as tx:
        found = LiveDocumentRecords(tx).page(house.agent_id, PageRequest()).items
    assert {document.url.rpartition("/")[2]: document.attributes for document in found} == {
        "a": {"plan": ("basic", "plus")},
        "b": {"plan": ("pro",)},
    }


async def test_pages_that_are_learnt_at_once_share_a_write_of_each_index(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[str] = []
    for index in (house.vectors, house.keywords):

        async def counted(*args: Any, put: Any = index.put, name: str = type(index).__name__) -> None:
            writes.append(name)
            await put(*args)

        monkeypatch.setattr(index, "put", counted)
    pages = [replace(page(f"/{name}", words(45, name)), title=name) for name in ("a", "b", "c", "d", "e", "f")]
    ingest = house.ingest

    receipts = await asyncio.gather(*(ingest.learn(house.agent_id, house.source.id, each) for each in pages))

    assert [(receipt.outcome, receipt.chunks, receipt.embedded) for receipt in receipts] == [
        (IngestOutcome.INDEXED, 3, 3)
    ] * len(pages)
    assert len(writes) < 2 * len(pages)  # each page by itself takes one of each index
    await house.assert_in_step()


async def test_keywords_are_written_while_the_embedder_reads(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, embed, written = house.keywords.put, house.embedder.embed, asyncio.Event()

    async def put_and_say_so(*rows: Any) -> None:
        await put(*rows)
        written.set()

    async def embed_afterwards(texts: Sequence[str]) -> list[list[float]]:
        async with asyncio.timeout(10):
            await written.wait()
        return await embed(texts)

    monkeypatch.setattr(house.keywords, "put", put_and_say_so)
    monkeypatch.setattr(house.embedder, "embed", embed_afterwards)

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page())

    assert receipt.outcome is IngestOutcome.INDEXED
    await house.assert_in_step()


async def test_a_page_that_cannot_be_indexed_keeps_no_other_from_it(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = house.embedder.embed

    async def embed_all_but_odd(texts: Sequence[str]) -> list[list[float]]:
        if any("odd" in text for text in texts):
            raise EmbedderUnavailable("A text that the embedder does not take.")
        return await embed(texts)

    monkeypatch.setattr(house.embedder, "embed", embed_all_but_odd)
    pages = [replace(page(f"/{name}", words(45, name)), title=name) for name in ("a", "b", "odd", "d")]
    ingest = house.ingest

    learnt = [ingest.learn(house.agent_id, house.source.id, each) for each in pages]
    outcomes = await asyncio.gather(*learnt, return_exceptions=True)

    assert [isinstance(outcome, EmbedderUnavailable) for outcome in outcomes] == [False, False, True, False]
    assert len(await house.live_ids()) == 9
