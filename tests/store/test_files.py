"""Uploaded files, kept whole."""

import hashlib

import pytest

from app.core.errors import NotFound
from app.core.source_file import FileFacts, FileFormat, StoredBody
from app.sources.files.records import FileRecords
from app.sources.records import SourceRecords
from app.sources.source import Source
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id

BODY = b"# Manual\n\x00\xff\n"


async def test_a_file_is_read_back_as_it_was_put(record: SystemOfRecord, source: Source, clock: FixedClock) -> None:
    with record.writing() as tx:
        put = FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
    digest = hashlib.sha256(BODY).hexdigest()
    assert put == FileFacts(source.id, "manual.md", FileFormat.MARKDOWN, len(BODY), digest, clock.now())
    with record.reading() as tx:
        assert FileRecords(tx).facts(source.id) == put
        assert FileRecords(tx).body(source.id) == StoredBody(digest, BODY)


async def test_another_file_takes_its_place(record: SystemOfRecord, source: Source, clock: FixedClock) -> None:
    with record.writing() as tx:
        FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
        clock.advance(60)
        newer = FileRecords(tx).put(source.id, "manual.pdf", FileFormat.PDF, b"%PDF-1.7")
        assert FileRecords(tx).facts(source.id) == newer
        assert FileRecords(tx).body(source.id) == StoredBody(newer.digest, b"%PDF-1.7")


async def test_of_a_file_on_the_object_store_the_record_has_the_key(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        facts = FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY, "agent/source/upload")
        assert FileRecords(tx).body(source.id) == StoredBody(facts.digest, b"", "agent/source/upload")
        assert FileRecords(tx).object_keys() == {"agent/source/upload"}
        FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
        assert FileRecords(tx).body(source.id) == StoredBody(facts.digest, BODY)
        assert FileRecords(tx).object_keys() == set()


async def test_a_file_goes_with_its_source(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
        SourceRecords(tx).delete(source.agent_id, source.id)
    with record.reading() as tx:
        with pytest.raises(NotFound, match="file"):
            FileRecords(tx).facts(source.id)
        with pytest.raises(NotFound, match="file"):
            FileRecords(tx).body(source.id)


async def test_a_file_needs_a_source(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="source"), record.writing() as tx:
        FileRecords(tx).put(an_id(), "manual.md", FileFormat.MARKDOWN, BODY)
