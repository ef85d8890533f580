"""A connection that is cut after any event costs a reader nothing, token by token."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest

from app.core.turn_events import Start, Token
from app.web.limits_policy import StreamPolicy
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.scripted_turns import the_receipt
from tests.web.house import House, Json, VisitorHttp, a_question, open_house
from tests.web.live_server import FrameReader, serving

WORDS = [f"w{number} " for number in range(200)]
ANSWER = "".join(WORDS)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[House, VisitorHttp, httpx2.AsyncClient]]:
    """With gathering off: each token is a frame."""
    async with (
        open_house(tmp_path, streams=StreamPolicy(coalesce_seconds=0)) as house,
        serving(house.app) as (_, client),
    ):
        house.turns.is_held = True
        yield house, await house.visitor(), client


async def test_through_http_the_joined_text_is_identical_for_each_of_200_cuts(
    served: tuple[House, VisitorHttp, httpx2.AsyncClient],
) -> None:
    house, visitor, client = served
    identical = 0
    for cut in range(1, len(WORDS) + 1):
        turn_id = uuid4()
        async with client.stream(
            "POST", "/v1/widget/messages/stream", json=a_question(turn_id), headers=visitor.headers
        ) as response:
            turn = house.turns.live[turn_id]
            for word in WORDS[:cut]:
                turn.publish(Token(word))
            reader = FrameReader(response)
            seen = [await reader.next() for _ in range(cut)]
        for word in WORDS[cut:]:
            turn.publish(Token(word))
        turn.publish(the_receipt(turn_id))
        last = seen[-1]
        assert last is not None
        rest = await _resumed(client, visitor, turn_id, last["id"])
        text = "".join(event["token"] for event in [*seen, *rest] if event and event["event"] == "token")
        identical += text == ANSWER and rest[-1]["event"] == "done"
    assert identical == 200


async def _resumed(client: httpx2.AsyncClient, visitor: VisitorHttp, turn_id: UUID, after: int) -> list[Json]:
    headers = {**visitor.headers, "Last-Event-ID": str(after)}
    async with client.stream("GET", f"/v1/widget/turns/{turn_id}/stream", headers=headers) as response:
        assert response.status_code == 200
        return await FrameReader(response).rest()


async def test_in_the_process_the_joined_text_is_identical_after_each_event(tmp_path: Path) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(WORDS)) as house:
        request = house.request("How long is the warranty of a lamp?")
        feed = await house.turns.ask(house.session, request)
        whole = [numbered async for numbered in feed.events()]
        assert isinstance(whole[0].event, Start)
        assert sum(isinstance(numbered.event, Token) for numbered in whole) >= 200
        for cut in range(1, len(whole)):
            again = await house.turns.rejoin(house.session, request.turn_id, cut)
            assert whole[:cut] + [numbered async for numbered in again.events(cut)] == whole
