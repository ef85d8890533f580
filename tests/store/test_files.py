"""Uploaded files, kept whole."""

import hashlib

import pytest

from app.domain.errors import NotFound
from app.domain.file_format import FileFormat
from app.domain.source import Source
from app.domain.source_file import FileFacts
from app.store.files import FileRecords
from app.store.sources import SourceRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id

BODY = b"# Manual\n\x00\xff\n"


async def test_a_file_is_read_back_as_it_was_put(record: SystemOfRecord, source: Source, clock: FixedClock) -> None:
    async with record.write() as tx:
        put = await FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
    digest = hashlib.sha256(BODY).hexdigest()
    assert put == FileFacts(source.id, "manual.md", FileFormat.MARKDOWN, len(BODY), digest, clock.now())
    async with record.read() as tx:
        assert await FileRecords(tx).facts(source.id) == put
        assert await FileRecords(tx).body(source.id) == BODY


async def test_another_file_takes_its_place(record: SystemOfRecord, source: Source, clock: FixedClock) -> None:
    async with record.write() as tx:
        await FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
        clock.advance(60)
        newer = await FileRecords(tx).put(source.id, "manual.pdf", FileFormat.PDF, b"%PDF-1.7")
        assert await FileRecords(tx).facts(source.id) == newer
        assert await FileRecords(tx).body(source.id) == b"%PDF-1.7"


async def test_a_file_goes_with_its_source(record: SystemOfRecord, source: Source) -> None:
    async with record.write() as tx:
        await FileRecords(tx).put(source.id, "manual.md", FileFormat.MARKDOWN, BODY)
        await SourceRecords(tx).delete(source.agent_id, source.id)
    async with record.read() as tx:
        with pytest.raises(NotFound, match="file"):
            await FileRecords(tx).facts(source.id)
        with pytest.raises(NotFound, match="file"):
            await FileRecords(tx).body(source.id)


async def test_a_file_needs_a_source(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="source"):
        async with record.write() as tx:
            await FileRecords(tx).put(an_id(), "manual.md", FileFormat.MARKDOWN, BODY)
