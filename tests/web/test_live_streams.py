"""How many answers one visitor reads at the same time."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest

from app.core.errors import TurnInProgress
from tests.doubles.scripted_turns import the_receipt
from tests.web.house import House, VisitorHttp, a_question, open_house, unlimited
from tests.web.live_server import FrameReader, serving

TWO = replace(unlimited(), streams_per_visitor=2)


class Streams:
    def __init__(self, house: House, client: httpx2.AsyncClient) -> None:
        self.house = house
        self._client = client

    @asynccontextmanager
    async def asking(self, visitor: VisitorHttp, turn_id: UUID) -> AsyncIterator[httpx2.Response]:
        async with self._client.stream(
            "POST", "/v1/widget/messages/stream", json=a_question(turn_id), headers=visitor.headers
        ) as response:
            yield response

    @asynccontextmanager
    async def joining(self, visitor: VisitorHttp, turn_id: UUID) -> AsyncIterator[httpx2.Response]:
        path = f"/v1/widget/turns/{turn_id}/stream"
        async with self._client.stream("GET", path, headers=visitor.headers) as response:
            yield response


@pytest.fixture
async def streams(tmp_path: Path) -> AsyncIterator[Streams]:
    async with open_house(tmp_path, limits=TWO) as house, serving(house.app) as (_, client):
        house.turns.is_held = True
        yield Streams(house, client)
        for turn_id, turn in house.turns.live.items():
            if not turn.has_ended:
                turn.publish(the_receipt(turn_id))


async def test_a_third_stream_is_refused_whether_it_asks_or_joins(streams: Streams) -> None:
    visitor, turn_id = await streams.house.visitor(), uuid4()
    async with streams.asking(visitor, turn_id), streams.joining(visitor, turn_id) as second:
        assert second.status_code == 200
        for third in (streams.joining(visitor, turn_id), streams.asking(visitor, uuid4())):
            async with third as refused:
                assert refused.status_code == 429
                assert (await refused.aread(), refused.json()["error"]["code"])[1] == "rate_limited"
                assert int(refused.headers["retry-after"]) >= 1
        async with streams.asking(await streams.house.visitor(), uuid4()) as another:
            assert another.status_code == 200
    assert len(streams.house.turns.asked) == 2


async def test_a_stream_that_has_ended_makes_room(streams: Streams) -> None:
    visitor, turn_id = await streams.house.visitor(), uuid4()
    for _ in range(5):
        async with AsyncExitStack() as opened:
            readers = [
                FrameReader(await opened.enter_async_context(stream))
                for stream in (streams.asking(visitor, turn_id), streams.joining(visitor, turn_id))
            ]
            streams.house.turns.live[turn_id].publish(the_receipt(turn_id))
            for reader in readers:
                assert (await reader.rest())[-1]["event"] == "done"
        turn_id = uuid4()


async def test_a_reader_who_leaves_makes_room(streams: Streams) -> None:
    visitor, turn_id = await streams.house.visitor(), uuid4()
    for _ in range(5):
        async with streams.asking(visitor, turn_id), streams.joining(visitor, turn_id) as left:
            assert left.status_code == 200
        statuses = set()
        while 200 not in statuses:  # the server hears of the leaving a moment later
            async with streams.joining(visitor, turn_id) as again:
                statuses.add(again.status_code)
        assert statuses <= {200, 429}


async def test_a_refused_question_holds_no_place(streams: Streams) -> None:
    visitor = await streams.house.visitor()
    streams.house.turns.refusal = TurnInProgress("Wait.")
    for _ in range(5):
        async with streams.asking(visitor, uuid4()) as refused:
            assert refused.status_code == 409
    for _ in range(5):
        async with streams.joining(visitor, uuid4()) as refused:
            assert refused.status_code == 404
