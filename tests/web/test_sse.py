"""Answer streams through a real server: what arrives when, and what outlives what."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from starlette.types import Message

from app.core.turn_events import NumberedEvent, Start, Token, TurnEvent
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import TurnHead
from app.web.limits_policy import StreamPolicy
from app.web.middleware.request_log import PLAIN_SEND, StreamMeter
from app.web.sse import frame, stream_response
from tests.doubles.scripted_turns import an_answer, the_receipt
from tests.web.house import House, VisitorHttp, a_question, open_house
from tests.web.live_server import FrameReader, serving

SLOW_PINGS = StreamPolicy(drain_seconds=0.05)


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator["Live"]:
    async with open_house(tmp_path, streams=SLOW_PINGS) as house, serving(house.app) as (server, client):
        house.turns.is_held = True
        yield Live(house, await house.visitor(), server, client)


class Live:
    def __init__(self, house: House, visitor: VisitorHttp, server: uvicorn.Server, client: httpx2.AsyncClient) -> None:
        self.house = house
        self.visitor = visitor
        self.server = server
        self.client = client

    @asynccontextmanager
    async def asking(self, turn_id: UUID) -> AsyncIterator[tuple[httpx2.Response, LiveTurn]]:
        """Inside, headers have arrived and nothing else."""
        async with self.client.stream(
            "POST", "/v1/widget/messages/stream", json=a_question(turn_id), headers=self.visitor.headers
        ) as response:
            yield response, self.house.turns.live[turn_id]

    @asynccontextmanager
    async def rejoining(self, turn_id: UUID, after: int) -> AsyncIterator[httpx2.Response]:
        headers = {**self.visitor.headers, "Last-Event-ID": str(after)}
        async with self.client.stream("GET", f"/v1/widget/turns/{turn_id}/stream", headers=headers) as response:
            yield response


async def test_headers_leave_before_the_first_event(live: Live) -> None:
    turn_id = uuid4()
    async with live.asking(turn_id) as (response, turn):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        turn.publish(the_receipt(turn_id))
        assert [f["event"] for f in await FrameReader(response).rest()] == ["done"]


async def test_each_event_arrives_before_the_next_one_exists(live: Live) -> None:
    turn_id = uuid4()
    async with live.asking(turn_id) as (response, turn):
        reader = FrameReader(response)
        events: list[TurnEvent] = [Start(turn_id, uuid4()), Token("Hello "), Token("you")]
        for number, event in enumerate(events, start=1):
            turn.publish(event)
            frame = await reader.next()
            assert frame is not None
            assert (frame["id"], frame["event"]) == (number, event.name)
        turn.publish(the_receipt(turn_id))
        assert [f["event"] for f in await reader.rest()] == ["done"]


async def test_a_visitor_who_leaves_never_stops_the_turn(live: Live) -> None:
    turn_id = uuid4()
    async with live.asking(turn_id) as (response, turn):
        turn.publish(Start(turn_id, uuid4()))
        assert await FrameReader(response).next() is not None
    for event in an_answer(turn_id):
        turn.publish(event)
    assert live.house.turns.stopped == []
    async with live.rejoining(turn_id, after=1) as response:
        rest = await FrameReader(response).rest()
    assert [frame["event"] for frame in rest] == ["status", "token", "citations", "done"]
    assert rest[0]["id"] == 2


async def test_two_readers_of_one_turn_get_the_same(live: Live) -> None:
    turn_id = uuid4()
    async with live.asking(turn_id) as (first, turn), live.asking(turn_id) as (second, same):
        assert turn is same
        turn.publish(Start(turn_id, uuid4()))
        for event in an_answer(turn_id, "one"):
            turn.publish(event)
        assert await FrameReader(first).rest() == await FrameReader(second).rest()


async def test_a_quiet_stream_is_kept_alive_by_comments(tmp_path: Path) -> None:
    policy = StreamPolicy(ping_seconds=0.02)
    async with open_house(tmp_path, streams=policy) as house, serving(house.app) as (server, client):
        house.turns.is_held = True
        live, turn_id = Live(house, await house.visitor(), server, client), uuid4()
        async with live.asking(turn_id) as (response, turn):
            reader = FrameReader(response)
            assert await reader.comment() == ": ping"
            turn.publish(the_receipt(turn_id))
            assert [f["event"] for f in await reader.rest()] == ["done"]


async def test_a_server_that_ends_tells_its_readers_to_come_back(live: Live) -> None:
    turn_id = uuid4()
    async with live.asking(turn_id) as (response, turn):
        turn.publish(Start(turn_id, uuid4()))
        turn.publish(Token("Hel"))
        reader = FrameReader(response)
        await reader.next()
        await reader.next()
        live.server.should_exit = True
        last = await reader.rest()
    assert [(f["id"], f["event"], f["code"], f["retryable"]) for f in last] == [(3, "error", "shutting_down", True)]
    assert not turn.has_ended


async def test_an_answer_that_ends_in_time_is_whole_although_the_server_ends(tmp_path: Path) -> None:
    async with open_house(tmp_path, streams=StreamPolicy(drain_seconds=8)) as house, serving(house.app) as served:
        house.turns.is_held = True
        live, turn_id = Live(house, await house.visitor(), *served), uuid4()
        async with live.asking(turn_id) as (response, turn):
            turn.publish(Token("Hello"))
            reader = FrameReader(response)
            await reader.next()
            live.server.should_exit = True
            turn.publish(the_receipt(turn_id))
            assert [f["event"] for f in await reader.rest()] == ["done"]


async def test_a_reader_that_takes_nothing_is_left_when_a_send_takes_too_long(tmp_path: Path) -> None:
    policy = StreamPolicy(send_timeout_seconds=0.1, coalesce_seconds=0)
    async with open_house(tmp_path, streams=policy) as house, serving(house.app) as served:
        house.turns.is_held = True
        live, turn_id, is_left = Live(house, await house.visitor(), *served), uuid4(), asyncio.Event()
        async with live.asking(turn_id) as (response, turn):
            turn.subscribers.when_gone(0, is_left.set)
            for _ in range(40):
                turn.publish(Token("x" * 1_000_000))
            await asyncio.wait_for(is_left.wait(), 10)
            with pytest.raises(httpx2.RemoteProtocolError):
                await FrameReader(response).rest()
        assert not turn.has_ended


async def test_frames_go_past_the_middlewares_and_the_response_starts_through_them() -> None:
    turn, through, past = LiveTurn(TurnHead(uuid4(), uuid4(), "")), list[Message](), list[Message]()
    turn.publish(Token("Hello"))
    turn.publish(the_receipt(turn.turn_id))

    async def send(message: Message) -> None:
        through.append(message)

    async def plain_send(message: Message) -> None:
        past.append(message)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("nobody leaves")

    response = stream_response(turn, 0, StreamPolicy(), StreamMeter(CollectorRegistry()))
    await response({"type": "http", "method": "GET", PLAIN_SEND: plain_send}, receive, send)
    assert [message["type"] for message in through] == ["http.response.start", "http.response.body"]
    assert not through[-1]["body"]  # the end
    assert b"".join(message["body"] for message in past).count(b"event: ") == 2


@given(st.integers(1, 10**10), st.text())
def test_a_token_s_frame_is_what_json_makes_of_it(number: int, text: str) -> None:
    data = json.dumps({"event": "token", "token": text}, separators=(",", ":"))
    assert frame(NumberedEvent(number, Token(text))) == f"id: {number}\nevent: token\ndata: {data}\n\n".encode("ascii")
