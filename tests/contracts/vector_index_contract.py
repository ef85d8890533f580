"""What every VectorIndex promises."""

import math
from collections.abc import Sequence
from uuid import UUID

import pytest

from app.providers.indexes.search_indexes import ChunkVector, VectorIndex

DIMENSIONS = 8
AGENT, OTHER_AGENT = UUID(int=1), UUID(int=2)
VERSION, OTHER_VERSION = UUID(int=11), UUID(int=12)


def unit(*numbers: float) -> list[float]:
    """A vector of length 1 in the direction of the numbers, padded with zeros."""
    padded = [*numbers, *([0.0] * (DIMENSIONS - len(numbers)))]
    return [number / math.hypot(*padded) for number in padded]


def row(chunk_id: str, vector: Sequence[float], version: UUID = VERSION) -> ChunkVector:
    return ChunkVector(chunk_id, version, vector)


class VectorIndexContract:
    """A subclass gives the fixture `index`: empty, of vectors of `DIMENSIONS`."""

    async def test_the_nearest_chunk_comes_first(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("far", unit(0, 1)), row("near", unit(1, 0.1)), row("middle", unit(1, 1))])

        hits = await index.search(AGENT, unit(1), 2)

        assert [hit.chunk_id for hit in hits] == ["near", "middle"]
        assert hits[1].score == pytest.approx(math.cos(math.pi / 4), abs=1e-5)

    async def test_a_search_keeps_to_the_versions_that_it_is_told(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("new", unit(1)), row("old", unit(0, 1), OTHER_VERSION)])
        many = [UUID(int=number) for number in range(100, 1300)]

        assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 10, [*many, OTHER_VERSION])] == ["old"]
        assert await index.search(AGENT, unit(1), 10, []) == []

    async def test_an_agent_finds_only_its_own(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("mine", unit(0, 1))])
        await index.put(OTHER_AGENT, [row("theirs", unit(1))])

        assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 10)] == ["mine"]
        assert await index.similarities(AGENT, unit(1), ["theirs"]) == {}
        assert await index.chunk_ids(AGENT) == {"mine"}
        assert await index.agent_ids() == {AGENT, OTHER_AGENT}

    async def test_an_empty_index_finds_nothing(self, index: VectorIndex) -> None:
        assert await index.search(AGENT, unit(1), 5) == []
        assert await index.similarities(AGENT, unit(1), ["a"]) == {}
        assert await index.chunk_ids(AGENT) == set()
        assert await index.agent_ids() == set()
        await index.drop_versions(AGENT, [VERSION])
        await index.drop_agent(AGENT)
        await index.compact()

    async def test_similarities_answer_for_the_chunks_that_are_there(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("a", unit(1)), row("b", unit(0, 1)), row("c", unit(-1))])

        found = await index.similarities(AGENT, unit(1), ["c", "a", "absent", "a"])

        assert found == {"a": pytest.approx(1, abs=1e-5), "c": pytest.approx(-1, abs=1e-5)}
        assert await index.similarities(AGENT, unit(1), []) == {}

    async def test_putting_twice_changes_nothing(self, index: VectorIndex) -> None:
        rows = [row("a", unit(1)), row("b", unit(0, 1))]

        await index.put(AGENT, rows)
        await index.put(AGENT, rows)

        assert len(await index.search(AGENT, unit(1), 10)) == 2

    async def test_putting_replaces_by_chunk_id(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("a", unit(1))])
        await index.put(AGENT, [row("a", unit(0, 1), OTHER_VERSION)])

        [hit] = await index.search(AGENT, unit(0, 1), 10)
        assert hit.score == pytest.approx(1, abs=1e-5)
        await index.drop_versions(AGENT, [VERSION])
        assert await index.chunk_ids(AGENT) == {"a"}

    async def test_a_dropped_version_is_found_no_more(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("old", unit(1)), row("new", unit(0, 1), OTHER_VERSION)])
        await index.put(OTHER_AGENT, [row("theirs", unit(1))])

        await index.drop_versions(AGENT, [VERSION, UUID(int=99)])

        assert [hit.chunk_id for hit in await index.search(AGENT, unit(1), 10)] == ["new"]
        assert await index.chunk_ids(OTHER_AGENT) == {"theirs"}

    async def test_a_dropped_agent_leaves_nothing(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("a", unit(1))])
        await index.put(OTHER_AGENT, [row("b", unit(1))])

        await index.drop_agent(AGENT)

        assert await index.search(AGENT, unit(1), 10) == []
        assert await index.agent_ids() == {OTHER_AGENT}

    async def test_ids_are_never_read_as_a_filter(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("it's", unit(1))])

        assert await index.similarities(AGENT, unit(1), ["' OR '1'='1"]) == {}
        assert await index.similarities(AGENT, unit(1), ["it's"]) == {"it's": pytest.approx(1, abs=1e-5)}

    async def test_compacting_keeps_every_row(self, index: VectorIndex) -> None:
        for number in range(5):
            await index.put(AGENT, [row(f"c{number}", unit(1, number))])

        await index.compact()

        assert len(await index.search(AGENT, unit(1), 10)) == 5

    async def test_rows_are_counted_by_version(self, index: VectorIndex) -> None:
        await index.put(AGENT, [row("a", unit(1)), row("b", unit(0, 1)), row("c", unit(-1), OTHER_VERSION)])
        await index.put(OTHER_AGENT, [row("theirs", unit(1))])

        assert await index.count_versions(AGENT, [VERSION]) == 2
        assert await index.count_versions(AGENT, [VERSION, OTHER_VERSION, UUID(int=99)]) == 3
        assert await index.count_versions(AGENT, []) == 0
        await index.drop_versions(AGENT, [VERSION])
        assert await index.count_versions(AGENT, [VERSION]) == 0

    async def test_purging_keeps_every_row(self, index: VectorIndex) -> None:
        await index.purge()
        for number in range(5):
            await index.put(AGENT, [row(f"c{number}", unit(1, number))])
        await index.drop_versions(AGENT, [UUID(int=99)])

        await index.purge()
        await index.put(AGENT, [row("c5", unit(1, 5))])

        assert len(await index.search(AGENT, unit(1), 10)) == 6

    async def test_nothing_is_put_or_asked_for(self, index: VectorIndex) -> None:
        await index.put(AGENT, [])
        await index.drop_versions(AGENT, [])

        assert await index.search(AGENT, unit(1), 0) == []
