"""Answers and the test stream through a real nginx whose buffering is on, as it is by default."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.doubles.fake_openai import FakeOpenAI, Pause
from tests.proxies.nginx import nginx
from tests.system.conftest import SITE, Running
from tests.web.live_server import FrameReader

IGNORING = "proxy_ignore_headers X-Accel-Buffering;"
COMPRESSING = "gzip on; gzip_types text/event-stream; gzip_proxied any; gzip_min_length 0; gzip_http_version 1.0;"


async def test_an_answer_arrives_while_it_is_being_written(running: Running, provider: FakeOpenAI) -> None:
    provider.plays(Pause(["The warranty ", "is "], ["3 years [1]."]))
    visitor, turn_id = await running.visitor(), str(uuid4())
    headers = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE}
    with nginx(str(running.http.base_url).rstrip("/")) as proxy:
        async with (
            httpx2.AsyncClient(base_url=proxy, trust_env=False, timeout=120) as through_proxy,
            visitor.asking("How long is the warranty of a lamp?", turn_id) as direct,
        ):
            assert (await direct.next() or {})["event"] == "start"
            async with through_proxy.stream("GET", f"/v1/widget/turns/{turn_id}/stream", headers=headers) as response:
                assert response.headers["server"].startswith("nginx")
                rejoined = FrameReader(response)
                while (await rejoined.next() or {})["event"] != "token":
                    pass
                provider.go_on()
                assert (await rejoined.rest())[-1] == (await direct.rest())[-1]


@pytest.mark.parametrize(
    ("location", "server", "is_live", "named"),
    [
        pytest.param("", "", True, (), id="defaults"),
        pytest.param("", COMPRESSING, True, (), id="compressing"),
        pytest.param(IGNORING, COMPRESSING, False, ("compresses", "nginx"), id="compressing, header ignored"),
        pytest.param(f"{IGNORING} proxy_buffering off;", COMPRESSING, True, (), id="compressing, buffering off"),
    ],
)  # fmt: skip
async def test_doctor_says_whether_a_proxy_buffers_and_which(
    running: Running, location: str, server: str, is_live: bool, named: Sequence[str]
) -> None:
    with nginx(str(running.http.base_url).rstrip("/"), location=location, server=server) as proxy:
        code, report = await doctor(proxy)
    assert (code, report["live"]) == (0 if is_live else 1, is_live), report
    assert len(report["causes"]) == len(named)
    for part, cause in zip(named, report["causes"], strict=True):
        assert part in cause


async def test_doctor_finds_nothing_before_a_server_without_a_proxy(running: Running) -> None:
    code, report = await doctor(str(running.http.base_url))
    assert (code, report["causes"]) == (0, [])


async def doctor(url: str) -> tuple[int, dict[str, Any]]:
    """As an operator calls it, with the exit code."""
    command = [sys.executable, "-m", "app.cli", "doctor", "--stream", url, "--json"]
    ended = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=240)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)
