"""`docent serve --processes 2`: two web processes behind one port, with a Redis of their own, as visitors meet them."""

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI, Pause
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.nemesis.docent_processes import WebProcess, free_port
from tests.scale.test_two_web_processes import Visitor, said, until_tokens
from tests.system.conftest import SITE, learnt_agent
from tests.web.live_server import FrameReader

ANSWER = "It is 3 years."


class TwoProcesses(WebProcess):
    def _words(self) -> tuple[str, ...]:
        return ("serve", "--processes", "2", "--port", str(self.port))


@dataclass
class Group:
    command: TwoProcesses
    provider: FakeOpenAI
    http: httpx2.AsyncClient
    agent_id: str

    def children(self) -> Mapping[int, str]:
        """Pids and what runs there."""
        [pid] = self.command.pids
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {int(child): Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ") for child in found}

    def pid_of(self, number: str) -> int:
        named = {pid: re.search(r"--member ({.*?})", line) for pid, line in self.children().items()}
        [found] = [pid for pid, match in named.items() if match and json.loads(match[1])["number"] == int(number)]
        return found

    async def live_streams(self) -> dict[str, float]:
        """By the number of the process."""
        text = await read_metrics(self.http, f"http://127.0.0.1:{self.command.port}")
        return {
            process: float(count)
            for process, count in re.findall(r'^docent_live_streams{process="(\d)"} (.*)$', text, re.M)
        }

    async def both_stream(self) -> bool:
        """Whether each process has a stream, once /metrics, which is up to two seconds old, would show it."""
        for _ in range(4):
            if all((await self.live_streams()).values()):
                return True
            await asyncio.sleep(1)  # an address may read the metrics once a second
        return False

    async def until_both_serve(self) -> None:
        async with asyncio.timeout(300):
            while set(await self.live_streams()) != {"1", "2"}:  # noqa: ASYNC110 - a process that starts calls nobody
                await asyncio.sleep(1)  # an address may read the metrics once a second

    async def visitor(self) -> Visitor:
        body = {"agent_id": self.agent_id, "page_url": f"{SITE}/"}
        address = f"http://127.0.0.1:{self.command.port}/v1/widget/init"
        answer = await self.http.post(address, json=body, headers={"Origin": SITE})
        assert answer.status_code == 200, answer.text
        return Visitor(self.http, answer.json()["token"], "00000000-0000-4000-8000-000000000001")


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture
async def group(tmp_path: Path) -> AsyncIterator[Group]:
    async with AsyncExitStack() as opened:
        provider = opened.enter_context(FakeOpenAI().running())
        agent_id = await learnt_agent(read_settings(data=tmp_path / "data"))
        environment = {
            "DOCENT_DATA": str(tmp_path / "data"),
            "DOCENT_MODEL_URL": provider.url,
            "DOCENT_MODEL_NAME": "fake",
            "DOCENT_MODEL_SILENCE_SECONDS": "300",  # it pauses while processes start and end
            "DOCENT_METRICS_TOKEN": METRICS_TOKEN,
        }
        command = TwoProcesses(environment, tmp_path / "web.log", free_port())
        opened.push_async_callback(command.close)
        await command.start()
        # A connection for each call, as of visitors apart.
        limits = httpx2.Limits(max_keepalive_connections=0)
        http = await opened.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=300, limits=limits))
        made = Group(command, provider, http, agent_id)
        await made.until_both_serve()
        yield made


async def test_an_answer_goes_on_while_the_other_process_is_killed_and_comes_back(group: Group) -> None:
    group.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await group.visitor()
    async with visitor.asking(group.command) as response:
        reader = FrameReader(response)
        grown = await until_tokens(reader)
        async with asyncio.timeout(300):  # what /metrics says is up to two seconds old
            while not any((live := await group.live_streams()).values()):  # noqa: ASYNC110 - as above
                await asyncio.sleep(1)
        [other] = [process for process, count in live.items() if not count]
        os.kill(group.pid_of(other), signal.SIGKILL)
        group.provider.go_on()
        rest = await reader.rest()
    assert said(grown + rest) == ANSWER
    async with asyncio.timeout(300):  # /metrics would still say for two seconds that both serve
        while b"process.died" not in group.command.log.read_bytes():  # noqa: ASYNC110 - it is another process's log
            await asyncio.sleep(0.1)
    await group.until_both_serve()


async def test_whoever_reaches_the_other_process_reads_the_same_answer(group: Group) -> None:
    group.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await group.visitor()
    async with visitor.asking(group.command) as home, asyncio.timeout(300):
        first = FrameReader(home)
        grown = await until_tokens(first)
        read: list[dict[str, Any]] = []
        while not read:  # whichever takes the connection
            async with visitor.joining(group.command) as away:
                # The stream before may not have ended yet, and a visitor has two.
                if away.status_code == 429 or not await group.both_stream():
                    continue
                second = FrameReader(away)
                read = await until_tokens(second)
                group.provider.go_on()
                assert said(read + await second.rest()) == said(grown + await first.rest()) == ANSWER
    assert len(group.provider.asked) == 1


async def test_all_end_with_the_command_once_what_runs_is_told(group: Group) -> None:
    group.provider.plays(Pause(["It is ", "3 "], ["years."]))
    visitor = await group.visitor()
    begun = group.children()
    assert len(begun) == 3
    async with visitor.asking(group.command) as response:
        reader = FrameReader(response)
        grown = await until_tokens(reader)
        ending = asyncio.create_task(group.command.terminate())
        group.provider.go_on()
        rest = await reader.rest()
    await ending
    assert (said(grown + rest), rest[-1]["event"]) == (ANSWER, "done")
    assert group.command.exit_codes == [0]
    assert [pid for pid in begun if is_alive(pid)] == []
    assert list(group.command.log.parent.glob("data/web-*")) == []
