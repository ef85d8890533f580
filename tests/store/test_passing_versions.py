"""Which live versions filters let through."""

import pytest

from app.core.search_filter import SearchFilter
from app.knowledge.passages import read_versions_passing
from app.sources.source import Source
from app.store.system_of_record import SystemOfRecord
from tests.store.sample_rows import a_page, add_live, an_id

INSTALL = SearchFilter(path_prefixes=("/install",))
GERMAN = SearchFilter(languages=("de",))


async def test_open_filters_let_all_through_and_nothing_is_read(
    record: SystemOfRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(SystemOfRecord, "read")
    assert await read_versions_passing(record, an_id(), [SearchFilter(), SearchFilter()]) is None


async def test_every_filter_must_let_a_version_through(record: SystemOfRecord, source: Source) -> None:
    install = await add_live(record, source, a_page("https://docs.example/install"))
    await add_live(record, source, a_page("https://docs.example/remove", "Remove it."))
    assert await read_versions_passing(record, source.agent_id, [SearchFilter(), INSTALL]) == {install.id}
    assert await read_versions_passing(record, source.agent_id, [INSTALL, GERMAN]) == set()


async def test_one_document_is_looked_at_alone(record: SystemOfRecord, source: Source) -> None:
    first = await add_live(record, source, a_page("https://docs.example/install/linux"))
    await add_live(record, source, a_page("https://docs.example/install/mac", "Open the image."))
    assert await read_versions_passing(record, source.agent_id, [INSTALL], first.document_id) == {first.id}
