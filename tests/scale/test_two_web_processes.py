"""Two real web processes on one data folder and one Redis, as visitors behind a load balancer meet them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI, Pause, Say
from tests.nemesis.docent_processes import WebProcess, free_port
from tests.scale.redis_server import running_redis
from tests.system.conftest import SITE, learnt_agent
from tests.web.live_server import FrameReader

QUESTION = "How long is the warranty of a lamp?"
WORDS = [f"word{number} " for number in range(200)]


@dataclass
class Pair:
    """`first` and `second` answer under addresses of their own; `provider` is the model of both."""

    first: WebProcess
    second: WebProcess
    provider: FakeOpenAI
    http: httpx2.AsyncClient
    agent_id: str

    async def visitor(self) -> "Visitor":
        body = {"agent_id": self.agent_id, "page_url": f"{SITE}/"}
        address = f"http://127.0.0.1:{self.first.port}/v1/widget/init"
        answer = await self.http.post(address, json=body, headers={"Origin": SITE})
        assert answer.status_code == 200, answer.text
        return Visitor(self.http, answer.json()["token"], str(uuid4()))


@dataclass
class Visitor:
    """Asks one question."""

    http: httpx2.AsyncClient
    token: str
    turn_id: str

    @asynccontextmanager
    async def _calling(
        self, process: WebProcess, method: str, path: str, after: int = 0, body: dict[str, Any] | None = None
    ) -> AsyncIterator[httpx2.Response]:
        headers = {"Authorization": f"Bearer {self.token}", "Origin": SITE}
        if after:
            headers["Last-Event-ID"] = str(after)
        address = f"http://127.0.0.1:{process.port}/v1/widget{path}"
        async with self.http.stream(method, address, headers=headers, json=body) as response:
            yield response

    @asynccontextmanager
    async def asking(self, process: WebProcess, message: str = QUESTION) -> AsyncIterator[httpx2.Response]:
        body = {"turn_id": self.turn_id, "message": message, "page_url": f"{SITE}/"}
        async with self._calling(process, "POST", "/messages/stream", body=body) as response:
            yield response

    @asynccontextmanager
    async def joining(self, process: WebProcess, after: int = 0) -> AsyncIterator[httpx2.Response]:
        async with self._calling(process, "GET", f"/turns/{self.turn_id}/stream", after) as response:
            yield response

    async def stop(self, process: WebProcess) -> int:
        async with self._calling(process, "POST", f"/turns/{self.turn_id}/stop") as response:
            return response.status_code


@pytest.fixture(scope="module")
async def pair(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    folder: Path = tmp_path_factory.mktemp("pair")
    async with AsyncExitStack() as opened:
        redis = opened.enter_context(running_redis())
        provider = opened.enter_context(FakeOpenAI().running())
        agent_id = await learnt_agent(read_settings(data=folder / "data"))
        environment = {
            "DOCENT_DATA": str(folder / "data"),
            "DOCENT_REDIS_URL": redis.url,
            "DOCENT_MODEL_URL": provider.url,
            "DOCENT_MODEL_NAME": "fake",
            "DOCENT_MODEL_SILENCE_SECONDS": "300",  # it pauses while processes start and end
            "DOCENT_SHUTDOWN_SECONDS": "120",
        }
        first, second = (WebProcess(environment, folder / f"web{number}.log", free_port()) for number in range(2))
        for process in (first, second):
            opened.push_async_callback(process.close)
            await process.start()
        http = await opened.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=300))
        yield Pair(first, second, provider, http, agent_id)


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event["token"] for event in events if event["event"] == "token")


async def until_tokens(reader: FrameReader, count: int = 1) -> list[dict[str, Any]]:
    """Events up to and with the one that brings the `count`th token frame."""
    events: list[dict[str, Any]] = []
    while sum(event["event"] == "token" for event in events) < count:
        event = await reader.next()
        assert event is not None, events
        events.append(event)
    return events


async def test_a_rolling_restart_loses_no_word_of_an_answer_under_way(pair: Pair) -> None:
    pair.provider.plays(Say(WORDS, pace_seconds=0.02))
    visitor = await pair.visitor()
    async with visitor.asking(pair.first) as response:
        before = await until_tokens(FrameReader(response), 10)
        ending = asyncio.create_task(pair.first.terminate())
    async with visitor.joining(pair.second, before[-1]["id"]) as response:
        assert response.status_code == 200
        after = await FrameReader(response).rest()
    await ending

    assert said(before + after) == "".join(WORDS)
    assert after[-1]["event"] == "done"
    numbers = [event["id"] for event in before + after]
    assert numbers == sorted(set(numbers))
    assert len(pair.provider.asked) == 1
    assert pair.first.exit_codes[-1] == 0
    async with visitor.joining(pair.second, before[-1]["id"]) as response:
        again = await FrameReader(response).rest()
    assert (said(again), again[-1]) == (said(after), after[-1])
    await pair.first.start()


async def test_whoever_reads_in_the_other_process_sees_the_answer_grow_and_may_stop_it(pair: Pair) -> None:
    pair.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await pair.visitor()
    async with visitor.asking(pair.first) as home, visitor.joining(pair.second) as away:
        readers = [FrameReader(home), FrameReader(away)]
        grown = [await until_tokens(reader) for reader in readers]
        async with visitor.joining(pair.second) as third, visitor.asking(pair.first) as fourth:
            assert [third.status_code, fourth.status_code] == [429, 429]
        assert await visitor.stop(pair.second) == 204
        both = [events + await reader.rest() for events, reader in zip(grown, readers, strict=True)]
    assert said(both[0]) == said(both[1]) == "It is 3 "
    assert both[0][-1] == both[1][-1]
    assert both[0][-1]["finish"] == "stopped"


async def test_the_same_question_in_the_other_process_is_the_same_turn(pair: Pair) -> None:
    pair.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await pair.visitor()
    async with visitor.asking(pair.first) as home:
        reader = FrameReader(home)
        grown = await until_tokens(reader)
        async with visitor.asking(pair.second, "Something else?") as other:
            assert (other.status_code, (await other.aread()).decode().count("turn_conflict")) == (409, 1)
        stranger = Visitor(visitor.http, visitor.token, str(uuid4()))
        async with stranger.asking(pair.second) as other:
            assert (other.status_code, (await other.aread()).decode().count("turn_in_progress")) == (409, 1)
        async with visitor.asking(pair.second) as again:
            pair.provider.go_on()
            assert said(await FrameReader(again).rest()) == said(grown + await reader.rest()) == "It is 3 years."
    assert len(pair.provider.asked) == 1


async def test_readers_elsewhere_are_told_when_the_process_that_answers_is_killed(pair: Pair) -> None:
    pair.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await pair.visitor()
    async with visitor.asking(pair.first) as home:
        await until_tokens(FrameReader(home))
        async with visitor.joining(pair.second) as away:
            reader = FrameReader(away)
            grown = await until_tokens(reader)
            await pair.first.kill()
            rest = await reader.rest()
    assert said(grown + rest) == "It is 3 "
    assert (rest[-1]["event"], rest[-1]["retryable"]) == ("error", True)
    pair.provider.go_on()
    await pair.first.start()
