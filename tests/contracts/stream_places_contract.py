"""What every StreamPlaces promises."""

from uuid import uuid4

import pytest

from app.core.errors import RateLimited
from app.kit.limits.stream_places import StreamPlaces


class StreamPlacesContract:
    """A subclass gives the fixture `places`."""

    async def test_places_past_the_limit_say_how_long_to_wait(self, places: StreamPlaces) -> None:
        visitor, other = uuid4(), uuid4()
        for _ in range(2):
            await places.take(visitor, uuid4(), 2)

        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                await places.take(visitor, uuid4(), 2)
            assert 1 <= caught.value.retry_after_seconds <= 60
        await places.take(other, uuid4(), 2)

    async def test_a_place_that_was_left_is_free(self, places: StreamPlaces) -> None:
        visitor, one, two = uuid4(), uuid4(), uuid4()
        await places.take(visitor, one, 2)
        await places.take(visitor, two, 2)
        await places.leave(visitor, one)
        await places.leave(visitor, one)

        await places.take(visitor, uuid4(), 2)
        with pytest.raises(RateLimited):
            await places.take(visitor, uuid4(), 2)

    async def test_renewing_takes_no_second_place_and_mends_a_lost_one(self, places: StreamPlaces) -> None:
        visitor, one, lost = uuid4(), uuid4(), uuid4()
        await places.take(visitor, one, 2)
        await places.renew(visitor, one)
        await places.renew(visitor, lost)

        with pytest.raises(RateLimited):
            await places.take(visitor, uuid4(), 2)
        await places.leave(visitor, lost)
        await places.take(visitor, uuid4(), 2)
