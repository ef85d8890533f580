"""The whole house with its shipped models, on one page of knowledge, and a fake provider beside it."""

import socket
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.agents.agent import AgentConfig, AnswerCheck
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES
from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge, page_scope_on
from app.core.actor import SCOPES, Actor
from app.kit.job_queue import InlineJobQueue
from app.main import open_app
from app.settings import Settings, read_settings
from app.sources import kinds
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fake_openai import FakeOpenAI
from tests.web.live_server import FrameReader, serving

SITE = "https://lamps.example"
TEXT = """# Lamps

## Returns

You may return a lamp within 30 days of delivery. We pay the postage for every return of a lamp.

## Warranty

Every lamp has a warranty of 3 years from the day of delivery. The warranty covers the battery as well.
"""


@dataclass
class Running:
    """A server that visitors can reach. `folder` holds everything that it stores."""

    http: httpx2.AsyncClient
    agent_id: str
    folder: Path

    async def visitor(self) -> "Visitor":
        body = {"agent_id": self.agent_id, "page_url": f"{SITE}/"}
        answer = await self.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
        assert answer.status_code == 200, answer.text
        return Visitor(self.http, answer.json()["token"])

    def rows(self, query: str, *values: str | bytes) -> list[tuple[Any, ...]]:
        """What the system of record holds, read beside the server."""
        connection = sqlite3.connect(self.folder / "docent.sqlite")
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()


@dataclass
class Visitor:
    http: httpx2.AsyncClient
    token: str

    @asynccontextmanager
    async def asking(self, message: str, turn_id: str) -> AsyncIterator[FrameReader]:
        body = {"turn_id": turn_id, "message": message, "page_url": f"{SITE}/"}
        headers = {"Authorization": f"Bearer {self.token}", "Origin": SITE}
        async with self.http.stream("POST", "/v1/widget/messages/stream", json=body, headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            yield FrameReader(response)

    async def ask(self, message: str) -> list[dict[str, Any]]:
        async with self.asking(message, str(uuid4())) as reader:
            return await reader.rest()

    async def rejoin(self, turn_id: str) -> list[dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self.token}", "Origin": SITE}
        async with self.http.stream("GET", f"/v1/widget/turns/{turn_id}/stream", headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            return await FrameReader(response).rest()


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI().running() as fake:
        yield fake


@pytest.fixture
def silence() -> Iterator[str]:
    """Where connections are taken, and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
async def running(tmp_path: Path, provider: FakeOpenAI) -> AsyncIterator[Running]:
    """With the fake provider as its chat model."""
    settings = read_settings(data=tmp_path, model_url=provider.url, model_name="fake", shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, tmp_path)


async def learnt_agent(settings: Settings, page_url: str = "") -> str:
    """An agent that has read TEXT, at `page_url` where one is given, and may be embedded in SITE. Its models say what
    tests want said, and not what the text does: that is not looked up."""
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        actor = await base.record.write(
            lambda tx: Actor(TokenRecords(tx).default_workspace(), "test", frozenset(SCOPES))
        )
        jobs = InlineJobQueue(knowledge.jobs)
        agents, sources = Agents(base.record, jobs, NO_NAMES), Sources(base.record, jobs, page_scope_on(base))
        config = AgentConfig(name="Lamps", allowed_origins=(SITE,), answer_check=AnswerCheck.OFF)
        agent = await agents.create(actor, config)
        await agents.publish(actor, agent.id)
        source = await sources.create(actor, agent.id, SourceConfig(kinds.TEXT, "Lamps", page_url, TEXT))
        await sources.sync(actor, source.id)
    return str(agent.id)
