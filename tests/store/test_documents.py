"""Documents from pending to live to retired, and what searches see of them."""

from datetime import date
from uuid import UUID

import pytest
from sqlalchemy import Engine, select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.chunk import chunk_id, content_hash
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.knowledge.document import PendingVersion, VersionState
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import Source, SourceConfig
from app.store.stored_vectors import EmbeddingCache
from app.store.system_of_record import SystemOfRecord
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS, PAGE_CHANGES
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, add_pending, an_id, count_rows, some_chunks

URL = "https://docs.example/install"
OTHER = "https://docs.example/other"


async def generation(record: SystemOfRecord, source: Source, workspace_id: UUID) -> int:
    return await record.read(lambda tx: AgentRecords(tx).agent(workspace_id, source.agent_id).generation)


async def test_a_pending_version_cannot_be_answered_from(record: SystemOfRecord, source: Source) -> None:
    version = await add_pending(record, source, a_page(URL), "One.", "Two.")
    ids = [chunk_id(source.agent_id, version.id, position) for position in (0, 1)]
    with record.reading() as tx:
        assert VersionState.LIVE not in LiveDocumentRecords(tx).hashes(source.id, URL)
        assert LiveDocumentRecords(tx).live_chunks(source.agent_id, ids) == {}
        assert LiveDocumentRecords(tx).agent_chunks(source.agent_id) == []
        assert IndexedTextRecords(tx).standing(source.agent_id).live == {}
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)
        assert LiveDocumentRecords(tx).page(source.agent_id, PageRequest()).items == []
        assert DocumentRecords(tx).pending_versions() == [version]


async def test_chunks_have_stable_ids_and_come_in_order(record: SystemOfRecord, source: Source) -> None:
    version = await add_pending(record, source, a_page(URL), "One.", "Two.")
    with record.reading() as tx:
        chunks = DocumentRecords(tx).version_chunks(version.id)
    drafts = some_chunks("One.", "Two.")
    assert [chunk.id for chunk in chunks] == [chunk_id(source.agent_id, version.id, n) for n in (0, 1)]
    assert [chunk.searchable_text for chunk in chunks] == [draft.searchable_text for draft in drafts]
    assert [chunk.content_hash for chunk in chunks] == [content_hash(draft.searchable_text) for draft in drafts]
    assert {(chunk.title, chunk.document_version_id, chunk.agent_id) for chunk in chunks} == {
        ("Install", version.id, source.agent_id)
    }


async def test_a_live_version_is_what_searches_see(
    record: SystemOfRecord, source: Source, workspace_id: UUID, clock: FixedClock
) -> None:
    version = await add_pending(record, source, a_page(URL), "One.")
    with record.writing() as tx:
        assert DocumentRecords(tx).make_live(version) == []
    with record.reading() as tx:
        ids = IndexedTextRecords(tx).standing(source.agent_id).live
        chunk = LiveDocumentRecords(tx).live_chunks(source.agent_id, list(ids))[next(iter(ids))]
        documents = LiveDocumentRecords(tx).page(source.agent_id, PageRequest()).items
        assert LiveDocumentRecords(tx).hashes(source.id, URL) == {VersionState.LIVE: content_hash(a_page(URL).markdown)}
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (1, 1)
        assert [stored.id for stored in LiveDocumentRecords(tx).agent_chunks(source.agent_id)] == [chunk.id]
    assert (chunk.text, chunk.url, chunk.title, chunk.breadcrumb) == ("One.", URL, "Install", ("Install",))
    assert (chunk.link, chunk.as_of, chunk.language) == (f"{URL}#top", clock.now().date(), "en")
    assert [(document.url, document.title, document.chunk_count) for document in documents] == [(URL, "Install", 1)]
    assert await generation(record, source, workspace_id) == 1


async def test_a_new_version_retires_the_one_before_it(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    old = await add_live(record, source, a_page(URL), "Old.")
    new = await add_pending(record, source, a_page(URL, "changed"), "New.")
    with record.reading() as tx:
        assert [chunk.searchable_text[-4:] for chunk in LiveDocumentRecords(tx).agent_chunks(source.agent_id)] == [
            "Old."
        ]
    with record.writing() as tx:
        assert DocumentRecords(tx).make_live(new) == [old.id]
        assert [chunk.searchable_text[-4:] for chunk in LiveDocumentRecords(tx).agent_chunks(source.agent_id)] == [
            "New."
        ]
        assert DocumentRecords(tx).retired_versions(source.agent_id) == [old.id]
    assert old.document_id == new.document_id
    assert await generation(record, source, workspace_id) == 2


async def test_making_a_version_live_twice_changes_nothing(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    old = await add_live(record, source, a_page(URL))
    new = await add_live(record, source, a_page(URL, "changed"))
    with record.writing() as tx:
        assert DocumentRecords(tx).make_live(new) == [old.id]
    assert await generation(record, source, workspace_id) == 2


async def test_versions_of_several_documents_become_live_together(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    old = await add_live(record, source, a_page(URL), "Old.")
    overtaken = await add_pending(record, source, a_page(URL, "overtaken"), "Overtaken.")
    new = await add_pending(record, source, a_page(URL, "changed"), "New.", "Newer.")
    other = await add_pending(record, source, a_page(OTHER), "Other.")
    gone = PendingVersion(an_id(), source.agent_id, an_id(), VersionState.PENDING)
    with record.writing() as tx:
        retired = DocumentRecords(tx).make_live(overtaken, new, other, gone)
    assert sorted(retired) == sorted([old.id, overtaken.id, gone.id])
    with record.reading() as tx:
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (2, 3)
        chunks = DocumentRecords(tx).version_chunks(new.id, other.id)
        changes = tx.connection.execute(select(PAGE_CHANGES.c.document_id, PAGE_CHANGES.c.before)).all()
    assert [chunk.searchable_text.split()[-1] for chunk in chunks if chunk.document_version_id == new.id] == [
        "New.",
        "Newer.",
    ]
    assert [tuple(change) for change in changes] == [(new.document_id, a_page(URL).markdown)]
    assert await generation(record, source, workspace_id) == 2


async def test_a_newer_pending_version_retires_the_older_one_for_good(record: SystemOfRecord, source: Source) -> None:
    overtaken = await add_pending(record, source, a_page(URL), "Old.")
    newer = await add_pending(record, source, a_page(URL), "New.")
    with record.writing() as tx:
        assert DocumentRecords(tx).pending_versions() == [newer]
        assert DocumentRecords(tx).make_live(overtaken) == [overtaken.id]
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)


async def test_a_version_that_was_erased_before_it_became_live_is_an_orphan(
    record: SystemOfRecord, source: Source
) -> None:
    version = await add_pending(record, source, a_page(URL))
    with record.writing() as tx:
        SourceRecords(tx).delete(source.agent_id, source.id)
        assert DocumentRecords(tx).make_live(version) == [version.id]


async def test_a_version_is_made_live_for_its_own_agent_only(record: SystemOfRecord, source: Source) -> None:
    version = await add_pending(record, source, a_page(URL))
    forged = PendingVersion(version.id, an_id(), version.document_id, VersionState.PENDING)
    with record.writing() as tx:
        assert DocumentRecords(tx).make_live(forged) == [version.id]
        assert DocumentRecords(tx).pending_versions() == [version]


async def test_purging_forgets_retired_versions_and_nothing_else(
    record: SystemOfRecord, engine: Engine, source: Source
) -> None:
    old = await add_live(record, source, a_page(URL), "One.", "Two.")
    live = await add_live(record, source, a_page(URL, "changed"))
    pending = await add_pending(record, source, a_page(OTHER))
    with record.writing() as tx:
        DocumentRecords(tx).purge_versions([old.id, live.id, pending.id, an_id()])
        assert DocumentRecords(tx).retired_versions(source.agent_id) == []
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (1, 1)
        assert DocumentRecords(tx).pending_versions() == [pending]
    assert await count_rows(engine, CHUNKS) == 2


async def test_agents_whose_indexes_must_be_looked_after(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    with record.writing() as tx:
        pending_only = AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))
        other = SourceRecords(tx).create(pending_only.id, SourceConfig(kinds.TEXT, "Note"))
    await add_pending(record, other, a_page())
    version = await add_live(record, source, a_page())
    with record.writing() as tx:
        assert LiveDocumentRecords(tx).agent_ids() == {source.agent_id}
        retired = DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        assert LiveDocumentRecords(tx).agent_ids() == {source.agent_id}
        DocumentRecords(tx).purge_versions(retired)
        assert LiveDocumentRecords(tx).agent_ids() == set()


async def test_more_versions_than_one_statement_can_name_are_purged(record: SystemOfRecord, source: Source) -> None:
    old = await add_live(record, source, a_page(URL))
    await add_live(record, source, a_page(URL, "changed"))
    with record.writing() as tx:
        DocumentRecords(tx).purge_versions([*(an_id() for _ in range(1100)), old.id])
        assert DocumentRecords(tx).retired_versions(source.agent_id) == []


async def test_a_retired_document_cannot_be_answered_from(
    record: SystemOfRecord, engine: Engine, source: Source, workspace_id: UUID
) -> None:
    old = await add_live(record, source, a_page(URL))
    live = await add_live(record, source, a_page(URL, "changed"))
    pending = await add_pending(record, source, a_page(URL, "changed again"))
    with record.writing() as tx:
        retired = DocumentRecords(tx).retire_document(source.agent_id, live.document_id)
        assert retired == [old.id, live.id, pending.id]
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)
        assert VersionState.LIVE not in LiveDocumentRecords(tx).hashes(source.id, URL)
    assert await generation(record, source, workspace_id) == 3
    with record.writing() as tx:
        DocumentRecords(tx).purge_versions(retired)
        assert LiveDocumentRecords(tx).document_at(source.id, URL) is None
    assert [await count_rows(engine, row) for row in (DOCUMENTS, DOCUMENT_VERSIONS, CHUNKS)] == [0, 0, 0]


async def test_retiring_twice_or_a_foreign_document_changes_nothing(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    version = await add_live(record, source, a_page(URL))
    with record.writing() as tx:
        other = AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))
        assert DocumentRecords(tx).retire_document(other.id, version.document_id) == []
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (1, 1)
        DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        assert DocumentRecords(tx).retire_document(source.agent_id, version.document_id) == [version.id]
    assert await generation(record, source, workspace_id) == 2


async def test_an_agent_answers_from_its_own_documents_only(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    await add_live(record, source, a_page(URL))
    with record.writing() as tx:
        other = AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))
        ids = list(IndexedTextRecords(tx).standing(source.agent_id).live)
        assert LiveDocumentRecords(tx).live_chunks(other.id, ids) == {}
        assert LiveDocumentRecords(tx).counts(other.id) == (0, 0)
        assert (
            LiveDocumentRecords(tx).same_content(other.id, content_hash(a_page(URL).markdown), source.id, OTHER) is None
        )
        with pytest.raises(NotFound, match="source"):
            DocumentRecords(tx).add_pending(other.id, source.id, a_page(), "0" * 64, [])


async def test_chunks_are_found_however_many_ids_are_asked_for(record: SystemOfRecord, source: Source) -> None:
    texts = [f"Number {number}." for number in range(1203)]
    await add_live(record, source, a_page(URL), *texts)
    with record.reading() as tx:
        ids = IndexedTextRecords(tx).standing(source.agent_id).live
        found = LiveDocumentRecords(tx).live_chunks(source.agent_id, [*ids, "unknown", *ids])
    assert sorted(chunk.position for chunk in found.values()) == list(range(1203))


async def test_a_page_that_was_read_again_unchanged_is_as_of_today(
    record: SystemOfRecord, source: Source, clock: FixedClock
) -> None:
    version = await add_live(record, source, a_page(URL))
    clock.advance(3 * 86_400)
    with record.writing() as tx:
        DocumentRecords(tx).touch(version.document_id)
        DocumentRecords(tx).touch(an_id())
        document = LiveDocumentRecords(tx).page(source.agent_id, PageRequest()).items[0]
        chunk = next(
            iter(
                (
                    LiveDocumentRecords(tx).live_chunks(
                        source.agent_id, list(IndexedTextRecords(tx).standing(source.agent_id).live)
                    )
                ).values()
            )
        )
    assert (document.as_of, document.updated_at, chunk.as_of) == (date(2026, 1, 4), clock.now(), date(2026, 1, 4))


async def test_the_same_content_at_another_url_is_known(record: SystemOfRecord, source: Source) -> None:
    version = await add_live(record, source, a_page(URL))
    hashed = content_hash(a_page(URL).markdown)
    with record.writing() as tx:
        assert LiveDocumentRecords(tx).same_content(source.agent_id, hashed, source.id, OTHER) == version.document_id
        assert LiveDocumentRecords(tx).same_content(source.agent_id, hashed, source.id, URL) is None
        DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        assert LiveDocumentRecords(tx).same_content(source.agent_id, hashed, source.id, OTHER) is None


async def test_pages_of_one_title_are_found_with_their_texts(record: SystemOfRecord, source: Source) -> None:
    version = await add_live(record, source, a_page(URL))
    title = a_page(URL).title
    with record.writing() as tx:
        [found] = LiveDocumentRecords(tx).same_title(source.id, title, OTHER, limit=5)
        assert found.document_id == version.document_id
        assert found.texts
        assert LiveDocumentRecords(tx).same_title(source.id, title, URL, limit=5) == []
        assert LiveDocumentRecords(tx).same_title(source.id, "Another title", OTHER, limit=5) == []
        assert LiveDocumentRecords(tx).url_of(version.document_id) == URL
        DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        assert LiveDocumentRecords(tx).same_title(source.id, title, OTHER, limit=5) == []


async def test_documents_are_listed_oldest_first_and_by_source(
    record: SystemOfRecord, source: Source, clock: FixedClock
) -> None:
    with record.writing() as tx:
        note = SourceRecords(tx).create(source.agent_id, SourceConfig(kinds.TEXT, "Note"))
    for number, owner in enumerate((source, note, source)):
        clock.advance(1)
        await add_live(record, owner, a_page(f"https://docs.example/{number}"))
    with record.reading() as tx:
        first = LiveDocumentRecords(tx).page(source.agent_id, PageRequest(limit=2))
        rest = LiveDocumentRecords(tx).page(source.agent_id, PageRequest(limit=2, cursor=first.next_cursor))
        of_note = LiveDocumentRecords(tx).page(source.agent_id, PageRequest(), note.id)
    assert [document.url[-1] for document in [*first.items, *rest.items]] == ["0", "1", "2"]
    assert rest.next_cursor is None
    assert [document.source_id for document in of_note.items] == [note.id]


async def test_vectors_are_kept_by_text_and_model(record: SystemOfRecord) -> None:
    with record.writing() as tx:
        EmbeddingCache(tx).cache_embeddings("small", {"a": [0.5, -1.0], "b": [0.25, 0.0]})
        EmbeddingCache(tx).cache_embeddings("small", {"a": [9.0, 9.0]})
        EmbeddingCache(tx).cache_embeddings("large", {"a": [1.0]})
        EmbeddingCache(tx).cache_embeddings("small", {})
    with record.reading() as tx:
        assert EmbeddingCache(tx).cached_embeddings("small", ["a", "b", "c"]) == {
            "a": [0.5, -1.0],
            "b": [0.25, 0],
        }
        assert EmbeddingCache(tx).cached_embeddings("large", ["a", "b"]) == {"a": [1.0]}
        assert EmbeddingCache(tx).cached_embeddings("small", []) == {}


async def test_a_site_of_vectors_is_kept_and_found(record: SystemOfRecord) -> None:
    vectors = {content_hash(str(number)): [float(number)] for number in range(1203)}
    with record.writing() as tx:
        EmbeddingCache(tx).cache_embeddings("small", vectors)
        assert EmbeddingCache(tx).cached_embeddings("small", list(vectors)) == vectors


async def test_characters_that_no_database_holds_do_not_stop_a_page(record: SystemOfRecord, source: Source) -> None:
    version = await add_live(record, source, a_page(URL, "nul \x00"), "nul \x00")
    with record.reading() as tx:
        chunks = DocumentRecords(tx).version_chunks(version.id)
    assert chunks[0].searchable_text.endswith("nul \ufffd")
