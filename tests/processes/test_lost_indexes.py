"""Both indexes are lost under a server, and mended by commands beside it while visitors ask."""

import asyncio
import json
import os
import shutil
import sys
from typing import Any

from tests.doubles.fake_openai import FakeOpenAI, Say
from tests.system.conftest import Running
from tests.system.conftest import provider as provider
from tests.system.conftest import running as running

QUESTION = "How long is the warranty of a lamp?"


async def command(running: Running, *words: str) -> tuple[int, Any]:
    """Another process on the same folder: its exit code, and what `docent ... --json` printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app.cli", *words, "--json"),
        env=os.environ | {"DOCENT_DATA": str(running.folder), "DOCENT_LOG_LEVEL": "error"},
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    return process.returncode or 0, json.loads(printed)


async def test_lost_indexes_are_said_and_named_and_mended_while_visitors_ask(
    running: Running, provider: FakeOpenAI
) -> None:
    provider.plays(Say(["3 years [1]."]))
    assert (await (await running.visitor()).ask(QUESTION))[-1]["answered_by"] == "model"
    for index in ("vectors", "keywords"):
        shutil.rmtree(running.folder / index)

    other = QUESTION.replace("lamp", "lamp that was returned")  # not one whose ranking is still known
    events = await (await running.visitor()).ask(other)
    said = "".join(event["token"] for event in events if event["event"] == "token")
    assert said.startswith("I cannot search this website right now")
    assert events[-1]["event"] == "done"
    assert running.rows("SELECT count(*) FROM gaps") == [(0,)]
    code, report = await command(running, "doctor")
    assert code == 1
    assert any("docent reindex" in finding for finding in report["findings"])

    assert (await command(running, "reindex"))[0] == 0

    assert (await command(running, "doctor"))[0] == 0
    answered = (await (await running.visitor()).ask(other))[-1]
    assert answered["answered_by"] == "model"
