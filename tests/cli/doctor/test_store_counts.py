"""What `docent doctor` counts as index rows that do not match the database."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from app.bootstrap.infrastructure import Indexes
from app.cli.doctor.store_counts import StoreCounts, store_counts
from app.core.errors import IndexUnavailable
from app.providers.indexes.search_indexes import ChunkTerms
from tests.knowledge.knowledge_house import KnowledgeHouse, knowledge_house, page, words


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    async with knowledge_house(tmp_path) as house:
        await house.ingest.learn(house.agent_id, house.source.id, page("/a", words(25, "lamp")))
        yield house


async def counts(house: KnowledgeHouse) -> StoreCounts:
    indexes = Indexes(house.vectors, house.vectors, house.keywords)
    return await store_counts(house.record, indexes, house.agent_id)


async def test_stores_that_agree_have_nothing_astray(house: KnowledgeHouse) -> None:
    assert (await counts(house)).findings() == []


async def test_what_is_being_indexed_is_not_astray(house: KnowledgeHouse) -> None:
    house.keywords.is_down = True
    with pytest.raises(IndexUnavailable):
        await house.ingest.learn(house.agent_id, house.source.id, page("/b", words(15, "shade")))
    house.keywords.is_down = False
    found = await counts(house)
    assert (found.vectors or 0) > found.chunks
    assert found.astray == 0


async def test_rows_of_what_is_gone_and_rows_that_are_lacking_are(house: KnowledgeHouse) -> None:
    await house.vectors.drop_agent(house.agent_id)
    await house.keywords.put(house.agent_id, None, [ChunkTerms("deleted", uuid4(), "", "secret")])
    found = await counts(house)
    assert found.astray == found.chunks + 1
    assert "do not match the database" in found.findings()[0]
