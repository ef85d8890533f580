"""So many at once, so many that wait, and nobody behind them."""

import asyncio

import pytest
from hypothesis import given

from app.core.errors import ModelUnavailable
from app.kit.limits import ConcurrencyLimiter, ConcurrencyLimitReached
from app.providers.chat.bounded_chat_model import BoundedChatModel
from tests.contracts.chat_model_contract import read
from tests.doubles.crowd import WorkFailed, Works, play, settle, steps
from tests.doubles.scripted_chat_model import ScriptedChatModel


@given(steps)
def test_a_crowd_is_served_in_order_never_too_many_at_once(chosen: list[tuple[str, int]]) -> None:
    works = Works()
    limiter = ConcurrencyLimiter(running=3, waiting=4, wait_seconds=60)
    waiting: set[int] = set()

    async def ask(number: int) -> int:
        waiting.add(number)
        try:
            async with limiter.slot():
                waiting.remove(number)
                await works.work(number)
        except ConcurrencyLimitReached:
            assert len(waiting) == 4 + 1, "nobody is turned away while there is room"
            raise
        finally:
            waiting.discard(number)
        return number

    async def crowd() -> None:
        callers, left = await play(chosen, works, ask)
        refused = set()
        for number, caller in enumerate(callers):
            if caller.cancelled():
                assert number in left
            elif isinstance(caller.exception(), ConcurrencyLimitReached):
                refused.add(number)
            elif caller.exception() is None:
                assert caller.result() == number
            else:
                assert isinstance(caller.exception(), WorkFailed)
        served = set(works.begun)
        assert works.begun == sorted(works.begun), "first come, first served"
        assert served | refused | left == set(range(len(callers))), "nobody is forgotten"
        assert not limiter.is_full

    asyncio.run(crowd())
    assert works.most_at_once <= 3


async def test_past_the_queue_callers_are_turned_away_at_once() -> None:
    limiter, works = ConcurrencyLimiter(running=1, waiting=2, wait_seconds=60), Works()

    async def ask() -> None:
        async with limiter.slot():
            await works.work("")

    callers = [asyncio.ensure_future(ask()) for _ in range(3)]
    await settle()
    assert limiter.is_full
    with pytest.raises(ConcurrencyLimitReached):
        await ask()
    for _ in callers:
        works.end(0)
        await settle()
    await asyncio.gather(*callers)
    assert not limiter.is_full


async def test_nobody_waits_longer_than_was_said() -> None:
    limiter, works = ConcurrencyLimiter(running=1, waiting=2, wait_seconds=0.01), Works()

    async def ask() -> None:
        async with limiter.slot():
            await works.work("")

    first = asyncio.ensure_future(ask())
    await settle()
    with pytest.raises(ConcurrencyLimitReached, match=r"0\.01 s"):
        await ask()
    works.end(0)
    await first


async def test_a_model_without_a_place_is_one_that_is_away() -> None:
    model = ScriptedChatModel(["Ten."])
    bounded = BoundedChatModel(model, ConcurrencyLimiter(running=0, waiting=0, wait_seconds=1))
    with pytest.raises(ModelUnavailable, match="busy"):
        await read(bounded)
    assert model.requests == []
