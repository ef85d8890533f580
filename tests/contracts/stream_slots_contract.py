"""What every StreamSlots promises."""

from uuid import uuid4

import pytest

from app.core.errors import RateLimited
from app.kit.limits import StreamSlots


class StreamSlotsContract:
    """A subclass gives the fixture `slots`."""

    async def test_slots_past_the_limit_say_how_long_to_wait(self, slots: StreamSlots) -> None:
        visitor, other = uuid4(), uuid4()
        for _ in range(2):
            await slots.acquire(visitor, uuid4(), 2)

        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                await slots.acquire(visitor, uuid4(), 2)
            assert 1 <= caught.value.retry_after_seconds <= 60
        await slots.acquire(other, uuid4(), 2)

    async def test_a_place_that_was_left_is_free(self, slots: StreamSlots) -> None:
        visitor, one, two = uuid4(), uuid4(), uuid4()
        await slots.acquire(visitor, one, 2)
        await slots.acquire(visitor, two, 2)
        await slots.release(visitor, one)
        await slots.release(visitor, one)

        await slots.acquire(visitor, uuid4(), 2)
        with pytest.raises(RateLimited):
            await slots.acquire(visitor, uuid4(), 2)

    async def test_renewing_takes_no_second_place_and_mends_a_lost_one(self, slots: StreamSlots) -> None:
        visitor, one, lost = uuid4(), uuid4(), uuid4()
        await slots.acquire(visitor, one, 2)
        await slots.renew(visitor, one)
        await slots.renew(visitor, lost)

        with pytest.raises(RateLimited):
            await slots.acquire(visitor, uuid4(), 2)
        await slots.release(visitor, lost)
        await slots.acquire(visitor, uuid4(), 2)
