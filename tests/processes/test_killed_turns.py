"""What was being written in a process that was killed, when another one starts in its place."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import pytest

from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI, Pause, Say
from tests.nemesis.docent_processes import WebProcess, free_port
from tests.scale.test_two_web_processes import Visitor, said, until_tokens
from tests.system.conftest import SITE, learnt_agent
from tests.web.live_server import FrameReader


@dataclass
class Place:
    """Two web processes on one folder, of which the second has not been started."""

    folder: Path
    first: WebProcess
    second: WebProcess
    provider: FakeOpenAI
    http: httpx2.AsyncClient
    agent_id: str

    async def visitor(self, process: WebProcess) -> Visitor:
        body = {"agent_id": self.agent_id, "page_url": f"{SITE}/"}
        address = f"http://127.0.0.1:{process.port}/v1/widget/init"
        answer = await self.http.post(address, json=body, headers={"Origin": SITE})
        return Visitor(self.http, answer.json()["token"], str(uuid4()))

    def stored(self, visitor: Visitor) -> tuple[str, str]:
        """The state of the visitor's turn, and its text so far."""
        with closing(sqlite3.connect(f"file:{self.folder / 'data/docent.sqlite'}?mode=ro", uri=True)) as record:
            query = "SELECT state, partial_answer FROM turns WHERE id = ?"
            return record.execute(query, (UUID(visitor.turn_id).bytes,)).fetchone() or ("", "")

    async def until_stored(self, visitor: Visitor) -> None:
        async with asyncio.timeout(120):
            while not self.stored(visitor)[1]:  # noqa: ASYNC110 - another process calls nobody
                await asyncio.sleep(0.05)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as opened:
        provider = opened.enter_context(FakeOpenAI().running())
        agent_id = await learnt_agent(read_settings(data=tmp_path / "data"))
        environment = {
            "DOCENT_DATA": str(tmp_path / "data"),
            "DOCENT_MODEL_URL": provider.url,
            "DOCENT_MODEL_NAME": "fake",
            "DOCENT_MODEL_SILENCE_SECONDS": "300",  # it is silent while a server starts
        }
        first, second = (WebProcess(environment, tmp_path / f"web{number}.log", free_port()) for number in range(2))
        for process in (first, second):
            opened.push_async_callback(process.close)
        await first.start()
        http = await opened.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=60))
        yield Place(tmp_path, first, second, provider, http, agent_id)


async def test_it_has_ended_as_interrupted_with_its_first_words_once_the_server_is_back(place: Place) -> None:
    place.provider.plays(Pause(["It is ", "3 "], ["years."]), Say(["It is 3 years."]))
    visitor = await place.visitor(place.first)
    async with visitor.asking(place.first) as response:
        await until_tokens(FrameReader(response))
        await place.until_stored(visitor)
        await place.first.kill()
    assert place.stored(visitor)[0] == "running"
    await place.first.start()
    assert place.stored(visitor)[0] == "cut"
    async with visitor.joining(place.first) as again:
        *told, end = await FrameReader(again).rest()
    assert (said(told).strip(), end["event"], end["code"]) == ("It is 3", "error", "interrupted")
    asking = Visitor(place.http, visitor.token, str(uuid4()))
    async with asking.asking(place.first) as response:
        assert said(await FrameReader(response).rest()) == "It is 3 years."


async def test_what_others_on_the_same_database_write_goes_on(place: Place) -> None:
    await place.second.start()
    place.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await place.visitor(place.second)
    async with visitor.asking(place.second) as response:
        reader = FrameReader(response)
        grown = await until_tokens(reader)
        await place.first.restart(politely=False)
        assert place.stored(visitor)[0] == "running"
        place.provider.go_on()
        rest = await reader.rest()
    assert said(grown + rest) == "It is 3 years."
    assert place.stored(visitor)[0] == "done"
