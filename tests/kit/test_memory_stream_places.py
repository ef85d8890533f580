"""Places of this process, and in its stead while shared ones are away."""

from uuid import UUID, uuid4

import pytest

from app.core.errors import RateLimited, Unavailable
from app.kit.limits.memory_stream_places import MemoryStreamPlaces
from app.kit.limits.stream_places import LEASE_SECONDS, FallbackStreamPlaces
from tests.contracts.stream_places_contract import StreamPlacesContract


class AwayStreamPlaces(MemoryStreamPlaces):
    is_away = True

    async def take(self, visitor_id: UUID, place: UUID, limit: int) -> None:
        self._check()
        await super().take(visitor_id, place, limit)

    async def renew(self, visitor_id: UUID, place: UUID) -> None:
        self._check()
        await super().renew(visitor_id, place)

    async def leave(self, visitor_id: UUID, place: UUID) -> None:
        self._check()
        await super().leave(visitor_id, place)

    def _check(self) -> None:
        if self.is_away:
            raise Unavailable("away")


class TestMemoryStreamPlaces(StreamPlacesContract):
    @pytest.fixture
    def places(self) -> MemoryStreamPlaces:
        return MemoryStreamPlaces()


class TestFallbackStreamPlaces(StreamPlacesContract):
    @pytest.fixture
    def places(self) -> FallbackStreamPlaces:
        return FallbackStreamPlaces(AwayStreamPlaces(), MemoryStreamPlaces())


async def test_a_place_that_nobody_renews_runs_out() -> None:
    now = 0.0
    places = MemoryStreamPlaces(now=lambda: now)
    visitor, renewed = uuid4(), uuid4()
    await places.take(visitor, renewed, 2)
    await places.take(visitor, uuid4(), 2)
    now = LEASE_SECONDS - 1
    await places.renew(visitor, renewed)
    with pytest.raises(RateLimited):
        await places.take(visitor, uuid4(), 2)
    now = LEASE_SECONDS
    await places.take(visitor, uuid4(), 2)
    with pytest.raises(RateLimited):
        await places.take(visitor, uuid4(), 2)


async def test_a_place_taken_while_the_shared_ones_were_away_is_left_when_they_are_back() -> None:
    shared, own = AwayStreamPlaces(), MemoryStreamPlaces()
    places = FallbackStreamPlaces(shared, own)
    visitor, place = uuid4(), uuid4()
    await places.take(visitor, place, 1)
    shared.is_away = False
    await places.leave(visitor, place)
    shared.is_away = True
    await places.take(visitor, uuid4(), 1)


async def test_a_shared_place_that_could_not_be_left_is_left_before_the_next_is_taken() -> None:
    shared = AwayStreamPlaces()
    shared.is_away = False
    places = FallbackStreamPlaces(shared, MemoryStreamPlaces())
    visitor, place = uuid4(), uuid4()
    await places.take(visitor, place, 1)
    shared.is_away = True
    await places.leave(visitor, place)
    shared.is_away = False
    await places.take(visitor, uuid4(), 1)
    with pytest.raises(RateLimited):
        await places.take(visitor, uuid4(), 1)
