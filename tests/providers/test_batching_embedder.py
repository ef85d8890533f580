"""Questions that come together go through the model together, and everybody gets the vectors of their own."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given

from app.core.errors import EmbedderUnavailable
from app.providers.embedding.embedder import BatchingEmbedder
from tests.contracts.embedder_contract import EmbedderContract
from tests.doubles.crowd import WorkFailed, Works, play, settle, steps
from tests.doubles.hashing_embedder import HashingEmbedder


class _Slow(HashingEmbedder):
    """The vector of a text is its number. A run ends when the test says so."""

    def __init__(self) -> None:
        super().__init__(dimensions=1)
        self.works = Works()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        await self.works.work(tuple(int(text) for text in texts))
        return [[float(text)] for text in texts]


class TestBatchingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> BatchingEmbedder:
        return BatchingEmbedder(HashingEmbedder())


@given(steps)
def test_a_crowd_gets_its_own_vectors_in_order_and_no_run_is_too_large(chosen: list[tuple[str, int]]) -> None:
    slow = _Slow()
    embedder = BatchingEmbedder(slow, runs=2, max_batch=4, max_waiting=6)

    async def ask(number: int) -> list[list[float]]:
        return await embedder.embed([str(number)] * (number % 3 + 1))

    async def crowd() -> None:
        callers, left = await play(chosen, slow.works, ask)
        refused = set()
        for number, caller in enumerate(callers):
            if caller.cancelled():
                assert number in left
            elif isinstance(caller.exception(), EmbedderUnavailable):
                refused.add(number)
            elif caller.exception() is None:
                assert caller.result() == [[float(number)]] * (number % 3 + 1)
            else:
                assert isinstance(caller.exception(), WorkFailed)
        asked = [number for run in slow.works.begun for number in run]
        assert asked == sorted(asked), "first come, first served"
        assert set(asked) | refused | left == set(range(len(callers))), "nobody is forgotten"
        assert all(len(run) <= 4 for run in slow.works.begun)

    asyncio.run(crowd())
    assert slow.works.most_at_once <= 2


async def test_who_comes_while_the_model_is_busy_shares_the_next_run() -> None:
    slow = _Slow()
    embedder = BatchingEmbedder(slow, max_batch=8)
    callers = [asyncio.ensure_future(embedder.embed(["0"]))]
    await settle()
    callers += [asyncio.ensure_future(embedder.embed([str(number)])) for number in (1, 2, 3)]
    await settle()
    slow.works.end(0)
    await settle()
    slow.works.end(0)

    assert await asyncio.gather(*callers) == [[[0.0]], [[1.0]], [[2.0]], [[3.0]]]
    assert slow.works.begun == [(0,), (1, 2, 3)]


async def test_past_the_queue_questions_are_refused_at_once() -> None:
    slow = _Slow()
    embedder = BatchingEmbedder(slow, max_waiting=2)
    callers = [asyncio.ensure_future(embedder.embed(["0"]))]
    await settle()
    callers += [asyncio.ensure_future(embedder.embed([str(number)])) for number in (1, 2)]
    await settle()
    assert embedder.is_full
    with pytest.raises(EmbedderUnavailable, match="busy"):
        await embedder.embed(["3"])

    callers[1].cancel()  # gives its place to the next
    await settle()
    callers.append(asyncio.ensure_future(embedder.embed(["4"])))
    await settle()
    for _ in range(2):
        slow.works.end(0)
        await settle()
    assert slow.works.begun == [(0,), (2, 4)]
    assert await callers[3] == [[4.0]]
