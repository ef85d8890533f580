"""What a crash leaves of an answer: the text is kept by time and by tokens, and many turns share a transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast
from uuid import UUID, uuid4

import pytest

from app.core.errors import Overloaded
from app.store.system_of_record import SystemOfRecord
from app.turns import turn_end_store
from app.turns.turn_end_store import INTERVAL_TOKENS, Checkpointer, Checkpoints


class SlowRecord:
    """Keeps each batch that was written, as its own transaction and repository. A write needs a permit, of which there
    are plenty unless a test takes them."""

    def __init__(self) -> None:
        self.batches: list[dict[UUID, str]] = []
        self.permits = asyncio.Semaphore(100)
        self.is_broken = False
        self._changed = asyncio.Condition()
        self._writes = 0

    async def write(self, work: Callable[[Any], Awaitable[None]]) -> None:
        await work(self)

    async def checkpoint(self, texts: Mapping[UUID, str]) -> None:
        await self.permits.acquire()
        async with self._changed:
            self._writes += 1
            self._changed.notify_all()
        if self.is_broken:
            raise Overloaded("busy")
        self.batches.append(dict(texts))

    async def written(self, count: int) -> None:
        """Until so many writes were tried."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._writes >= count)


@dataclass
class LoopClock:
    """The loop's clock, which shows `moment`. What is scheduled is noted in `due`, and happens once the test waits."""

    moment: float = 100.0
    due: list[float] = field(default_factory=list)

    def used_by(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        loop, call_soon = asyncio.get_running_loop(), asyncio.get_running_loop().call_soon

        def noted(when: float, called: Callable[[], None]) -> asyncio.Handle:
            self.due.append(round(when, 3))
            return call_soon(called)

        monkeypatch.setattr(loop, "call_at", noted)
        monkeypatch.setattr(loop, "time", lambda: self.moment)
        return self


@pytest.fixture
def record() -> SlowRecord:
    return SlowRecord()


@pytest.fixture
def checkpoints(record: SlowRecord, monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    monkeypatch.setattr(turn_end_store, "TurnRecords", lambda tx: tx)
    return Checkpoints(cast(SystemOfRecord, record))


async def test_text_is_kept_after_so_many_tokens(record: SlowRecord, checkpoints: Checkpoints) -> None:
    turn_id = uuid4()
    writer = Checkpointer(checkpoints, turn_id)
    for count in range(1, INTERVAL_TOKENS + 1):
        writer.offer("x" * count)
    await record.written(1)
    await writer.settle()
    assert record.batches == [{turn_id: "x" * INTERVAL_TOKENS}]


async def test_the_first_words_are_kept_at_once_and_those_after_a_time_though_no_token_follows(
    record: SlowRecord, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock().used_by(monkeypatch)
    writer = Checkpointer(checkpoints, turn_id := uuid4())
    writer.offer("One")
    writer.offer("One two")
    await record.written(1)
    writer.offer("One two three")
    await record.written(2)
    assert clock.due == [100.1, 102.0]
    await writer.settle()
    assert record.batches == [{turn_id: "One two"}, {turn_id: "One two three"}]


async def test_an_answer_that_comes_whole_is_not_written_twice(record: SlowRecord, checkpoints: Checkpoints) -> None:
    writer = Checkpointer(checkpoints, uuid4())
    writer.offer("All of it.")
    await writer.settle()
    assert record.batches == []


async def test_texts_of_one_half_second_are_due_at_the_same_moment(
    record: SlowRecord, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = [Checkpointer(checkpoints, uuid4()) for _ in range(4)]
    for writer in writers:
        for _ in range(INTERVAL_TOKENS):
            writer.offer("One")
    clock = LoopClock().used_by(monkeypatch)
    for writer, clock.moment in zip(writers, (100.0, 100.2, 100.49, 100.5), strict=True):
        writer.offer("One two")
    assert clock.due == [102.0, 102.0, 102.0, 102.5]


async def test_what_becomes_due_during_a_write_goes_out_in_one_more(
    record: SlowRecord, checkpoints: Checkpoints
) -> None:
    first, *others = (uuid4() for _ in range(50))
    record.permits = asyncio.Semaphore(0)
    checkpoints.put(first, "first")
    await asyncio.sleep(0)
    for turn_id in others:
        checkpoints.put(turn_id, "early")
        checkpoints.put(turn_id, "late")
    record.permits.release()
    record.permits.release()
    await record.written(2)
    await checkpoints.settle(first)
    assert record.batches == [{first: "first"}, dict.fromkeys(others, "late")]


async def test_nothing_lands_after_a_turn_has_settled(record: SlowRecord, checkpoints: Checkpoints) -> None:
    under_way, waiting = uuid4(), uuid4()
    record.permits = asyncio.Semaphore(0)
    checkpoints.put(under_way, "half")
    await asyncio.sleep(0)
    checkpoints.put(waiting, "half")
    await checkpoints.settle(waiting)
    settling = asyncio.create_task(checkpoints.settle(under_way))
    await asyncio.sleep(0)
    assert not settling.done()
    record.permits.release()
    await settling
    assert record.batches == [{under_way: "half"}]


async def test_a_settled_turn_does_not_wait_for_the_batches_of_others(
    record: SlowRecord, checkpoints: Checkpoints
) -> None:
    first, second = uuid4(), uuid4()
    record.permits = asyncio.Semaphore(0)
    checkpoints.put(first, "half")
    await asyncio.sleep(0)
    checkpoints.put(second, "half")
    settling = asyncio.create_task(checkpoints.settle(first))
    await asyncio.sleep(0)
    record.permits.release()  # for the first batch alone
    await settling
    assert record.batches == [{first: "half"}]
    record.permits.release()
    await checkpoints.settle(second)


async def test_after_a_failed_write_the_next_text_is_written(record: SlowRecord, checkpoints: Checkpoints) -> None:
    turn_id = uuid4()
    record.is_broken = True
    checkpoints.put(turn_id, "lost")
    await record.written(1)
    await checkpoints.settle(turn_id)
    record.is_broken = False
    checkpoints.put(turn_id, "kept")
    await record.written(2)
    await checkpoints.settle(turn_id)
    assert record.batches == [{turn_id: "kept"}]
