"""Slots of this process, and in its stead while shared ones are away."""

from uuid import UUID, uuid4

import pytest

from app.core.errors import RateLimited, Unavailable
from app.kit.limits import LEASE_SECONDS, FallbackStreamSlots, MemoryStreamSlots
from tests.contracts.stream_slots_contract import StreamSlotsContract


class AwayStreamSlots(MemoryStreamSlots):
    is_away = True

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        self._check()
        await super().acquire(visitor_id, slot, limit)

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        self._check()
        await super().renew(visitor_id, slot)

    async def release(self, visitor_id: UUID, slot: UUID) -> None:
        self._check()
        await super().release(visitor_id, slot)

    def _check(self) -> None:
        if self.is_away:
            raise Unavailable("away")


class TestMemoryStreamSlots(StreamSlotsContract):
    @pytest.fixture
    def slots(self) -> MemoryStreamSlots:
        return MemoryStreamSlots()


class TestFallbackStreamSlots(StreamSlotsContract):
    @pytest.fixture
    def slots(self) -> FallbackStreamSlots:
        return FallbackStreamSlots(AwayStreamSlots(), MemoryStreamSlots())


async def test_a_place_that_nobody_renews_runs_out() -> None:
    now = 0.0
    slots = MemoryStreamSlots(now=lambda: now)
    visitor, renewed = uuid4(), uuid4()
    await slots.acquire(visitor, renewed, 2)
    await slots.acquire(visitor, uuid4(), 2)
    now = LEASE_SECONDS - 1
    await slots.renew(visitor, renewed)
    with pytest.raises(RateLimited):
        await slots.acquire(visitor, uuid4(), 2)
    now = LEASE_SECONDS
    await slots.acquire(visitor, uuid4(), 2)
    with pytest.raises(RateLimited):
        await slots.acquire(visitor, uuid4(), 2)


async def test_a_place_taken_while_the_shared_ones_were_away_is_left_when_they_are_back() -> None:
    shared, own = AwayStreamSlots(), MemoryStreamSlots()
    slots = FallbackStreamSlots(shared, own)
    visitor, slot = uuid4(), uuid4()
    await slots.acquire(visitor, slot, 1)
    shared.is_away = False
    await slots.release(visitor, slot)
    shared.is_away = True
    await slots.acquire(visitor, uuid4(), 1)


async def test_a_shared_place_that_could_not_be_left_is_left_before_the_next_is_taken() -> None:
    shared = AwayStreamSlots()
    shared.is_away = False
    slots = FallbackStreamSlots(shared, MemoryStreamSlots())
    visitor, slot = uuid4(), uuid4()
    await slots.acquire(visitor, slot, 1)
    shared.is_away = True
    await slots.release(visitor, slot)
    shared.is_away = False
    await slots.acquire(visitor, uuid4(), 1)
    with pytest.raises(RateLimited):
        await slots.acquire(visitor, uuid4(), 1)
