"""Rankings that cannot end in time are refused before any work is done."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given

from app.core.errors import RerankerUnavailable
from app.providers.reranking.reranker import PairScore, SheddingReranker
from tests.contracts.reranker_contract import RerankerContract
from tests.doubles.crowd import WorkFailed, Works, play, settle, steps
from tests.doubles.overlap_reranker import OverlapReranker

TEXTS = ["x" * 500] * 2


class _Slow:
    """The score of a text is the question's number. A ranking ends when the test says so, on the test's clock."""

    reads = None

    def __init__(self) -> None:
        self.moment = 0.0
        self.works = Works()

    def now(self) -> float:
        return self.moment

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        await self.works.work(int(question))
        return [PairScore(float(question), 0.5)] * len(texts)

    async def took(self, reranker: SheddingReranker, seconds: float) -> None:
        """Let one ranking take so long."""
        caller = asyncio.ensure_future(reranker.score("0", TEXTS, budget_seconds=60))
        await settle()
        self.moment += seconds
        self.works.end(0)
        await caller


class TestSheddingReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> SheddingReranker:
        return SheddingReranker(OverlapReranker())


@given(steps)
def test_a_crowd_gets_its_own_scores_in_order_one_ranking_at_a_time(chosen: list[tuple[str, int]]) -> None:
    slow = _Slow()
    reranker = SheddingReranker(slow, now=slow.now)

    async def ask(number: int) -> list[PairScore]:
        return await reranker.score(str(number), TEXTS, budget_seconds=60)

    async def crowd() -> None:
        callers, left = await play(chosen, slow.works, ask)
        for number, caller in enumerate(callers):
            if caller.cancelled():
                assert number in left
            elif caller.exception() is None:
                assert [score.logit for score in caller.result()] == [float(number)] * 2
            else:
                assert isinstance(caller.exception(), WorkFailed)
        assert slow.works.begun == sorted(slow.works.begun), "first come, first served"
        assert set(slow.works.begun) | left == set(range(len(callers))), "nobody is forgotten"

    asyncio.run(crowd())
    assert slow.works.most_at_once <= 1


async def test_it_is_full_before_rankings_have_to_be_refused() -> None:
    """Questions that are searching already add theirs, and a question that is refused can be asked again."""
    slow = _Slow()
    reranker = SheddingReranker(slow, now=slow.now)
    await slow.took(reranker, 0.11)
    callers, was_full = [], []
    for number in range(1, 6):
        was_full.append(reranker.is_full)
        callers.append(asyncio.ensure_future(reranker.score(str(number), TEXTS, budget_seconds=1.5)))
        await settle()
    assert was_full == [False, False, False, False, True]
    assert not any(caller.done() for caller in callers), "none was refused yet"
    for number in range(1, 6):
        slow.works.end(number)
        await settle()
    assert not reranker.is_full


async def test_a_few_visitors_of_a_slow_machine_are_not_sent_away() -> None:
    slow = _Slow()
    reranker = SheddingReranker(slow, now=slow.now)
    await slow.took(reranker, 1.0)
    callers = [asyncio.ensure_future(reranker.score(str(n), TEXTS, budget_seconds=60)) for n in (1, 2, 3)]
    await settle()
    assert not reranker.is_full
    for number in (1, 2, 3):
        slow.works.end(number)
        await settle()
    await asyncio.gather(*callers)


async def test_a_ranking_that_would_come_too_late_is_refused_before_any_work() -> None:
    slow = _Slow()
    reranker = SheddingReranker(slow, now=slow.now)
    await slow.took(reranker, 1.0)
    callers = [asyncio.ensure_future(reranker.score(str(n), TEXTS, budget_seconds=6)) for n in (1, 2, 3)]
    await settle()

    with pytest.raises(RerankerUnavailable, match=r"busy: 4\.0 s"):  # three ahead and its own: more than half of 6
        await reranker.score("4", TEXTS, budget_seconds=6)

    for _ in callers:
        slow.works.end(0)
        await settle()
    assert [scores[0].logit for scores in await asyncio.gather(*callers)] == [1.0, 2.0, 3.0]
    assert slow.works.begun == [0, 1, 2, 3]


async def test_more_places_let_more_through_at_once() -> None:
    slow = _Slow()
    reranker = SheddingReranker(slow, places=4, now=slow.now)
    await slow.took(reranker, 1.0)
    callers = [asyncio.ensure_future(reranker.score(str(n), TEXTS, budget_seconds=4)) for n in range(1, 5)]
    await settle()
    assert slow.works.begun == [0, 1, 2, 3, 4]
    for _ in callers:
        slow.works.end(0)
    await asyncio.gather(*callers)


async def test_after_a_slow_moment_it_is_tried_again_as_soon_as_nobody_is_ahead() -> None:
    slow = _Slow()
    reranker = SheddingReranker(slow, now=slow.now)
    await slow.took(reranker, 50.0)

    caller = asyncio.ensure_future(reranker.score("1", TEXTS, budget_seconds=6))
    await settle()
    slow.works.end(0)

    assert (await caller)[0].logit == 1.0
