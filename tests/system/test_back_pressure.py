"""More questions than can be answered at once, through the whole service: some wait, the rest hear at once that they
should come again, and nothing of them is left behind."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from app.main import open_app
from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI, Pause
from tests.system.conftest import SITE, Running, Visitor, learnt_agent
from tests.web.live_server import serving

QUESTION = "How long is the warranty of a lamp?"


@pytest.fixture
async def crowded(tmp_path: Path, provider: FakeOpenAI) -> AsyncIterator[Running]:
    """One answer is written at a time, and one may wait for it."""
    settings = read_settings(
        data=tmp_path, model_url=provider.url, model_name="fake", model_calls=1, model_queue=1, shutdown_seconds=1
    )
    agent_id = await learnt_agent(settings)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, tmp_path)


async def until_writing(visitor: Visitor, turn_id: str, reached: asyncio.Event) -> list[dict[str, object]]:
    """Ask; say when the turn has come as far as the model's place or the queue before it."""
    events: list[dict[str, object]] = []
    async with visitor.asking(QUESTION, turn_id) as reader:
        while (event := await reader.next()) is not None:
            events.append(event)
            if event.get("stage") == "writing":
                reached.set()
    return events


async def test_past_the_queue_a_question_is_refused_before_it_begins(crowded: Running, provider: FakeOpenAI) -> None:
    provider.plays(Pause(["The warranty "], ["is 3 years [1]."]))
    asked = []
    for _ in range(2):
        reached = asyncio.Event()
        asked.append(asyncio.ensure_future(until_writing(await crowded.visitor(), str(uuid4()), reached)))
        await asyncio.wait_for(reached.wait(), 10)

    late = await crowded.visitor()
    body = {"turn_id": str(uuid4()), "message": QUESTION, "page_url": f"{SITE}/"}
    headers = {"Authorization": f"Bearer {late.token}", "Origin": SITE}
    refused = await crowded.http.post("/v1/widget/messages/stream", json=body, headers=headers)

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "overloaded"
    assert int(refused.headers["Retry-After"]) > 0
    assert len(provider.asked) == 1
    assert crowded.rows("SELECT count(*) FROM turns") == [(2,)]

    provider.go_on()
    ends = [events[-1] for events in await asyncio.gather(*asked)]
    assert [(end["event"], end["answered_by"]) for end in ends] == [("done", "model")] * 2
    again = await crowded.http.post("/v1/widget/messages", json=body, headers=headers)
    assert again.json()["answered_by"] == "model"
    assert len(provider.asked) == 3
