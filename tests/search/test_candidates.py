"""What is recalled is live, whatever the indexes still hold."""

from pathlib import Path
from uuid import uuid4

import pytest

from app.core.errors import IndexUnavailable
from app.providers.indexes.search_indexes import ChunkVector
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import PAGES, AnsweringHouse, answering_house

QUESTION = "What does shipping a lamp cost?"


async def fill_with_retired_rows(house: AnsweringHouse, count: int) -> None:
    """Rows that the record does not know, nearer to the question than all others."""
    [vector] = await house.embedder.embed([QUESTION])
    rows = [ChunkVector(f"retired {number}", uuid4(), vector) for number in range(count)]
    await house.vectors.put(house.agent_id, rows)


@pytest.mark.parametrize("retired", [0, 59, 100])
async def test_a_list_that_retired_rows_fill_is_asked_for_more(tmp_path: Path, retired: int) -> None:
    async with answering_house(tmp_path) as house:
        house.keywords.is_down = True
        await fill_with_retired_rows(house, retired)
        assert sorted(await house.found(QUESTION)) == sorted(PAGES)


async def test_an_index_that_goes_away_while_it_is_asked_for_more_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering_house(tmp_path) as house:
        await fill_with_retired_rows(house, 100)
        search, asked = house.vectors.search, []

        async def away_the_second_time(agent_id, vector, limit, among=None):  # type: ignore[no-untyped-def]
            asked.append(limit)
            if len(asked) > 1:
                raise IndexUnavailable("gone")
            return await search(agent_id, vector, limit, among)

        monkeypatch.setattr(house.vectors, "search", away_the_second_time)
        found = await house.retriever.retrieve(await house.live_agent(), SearchQuery(QUESTION))
        assert found.trace["missing"] == ["vectors"]
        assert found.ranked
        assert len(asked) == 2
