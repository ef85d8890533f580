"""Web process and worker on one data folder, which crash together, and are opened again on what they left.

Real: SQLite, LanceDB, Tantivy, the edge and every room. Doubles: the models, the clock, and what Redis is for.
"""

import asyncio
import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import httpx2
from sqlalchemy import Engine, update
from starlette.applications import Starlette
from starlette.types import Message

from app.bootstrap.infrastructure import Doubles, Infrastructure, open_infrastructure
from app.bootstrap.knowledge import Knowledge, open_knowledge
from app.core.actor import Actor
from app.kit.cache import Cache
from app.kit.clock import Clock
from app.kit.job_queue import InlineJobQueue, JobQueue
from app.kit.limits import RateLimiter
from app.knowledge.context_writer import ContextWriter
from app.knowledge.document import PageContent
from app.main import open_app
from app.providers.chat.chat_model import ChatModel
from app.providers.embedding.embedder import Embedder
from app.providers.reranking.reranker import Reranker
from app.settings import read_settings
from app.store.engine import open_engine
from app.store.processes import database_time
from app.store.system_of_record import SystemOfRecord
from app.store.tables.agents import PROCESSES
from app.turns.remote.remote_turns import SharedTurns
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.quoting_chat_model import QuotingChatModel
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.shared_memory import SharedMemory
from tests.doubles.temporary_record import temporary_database
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.doubles.workspaces import another_workspace

SILENCE_SECONDS = 25  # past them a process counts as dead


class ServiceHouse:
    """`write` and `foreign` are API tokens of two workspaces."""

    app: Starlette
    http: httpx2.AsyncClient
    knowledge: Knowledge
    write: str
    foreign: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FixedClock()
        self.shared = SharedMemory()
        self.model = QuotingChatModel()
        self._opened: list[AsyncExitStack] = []
        self._engines: list[Engine] = []

    async def open_first(self) -> None:
        await temporary_database(self.folder)
        record = await self._open()
        workspace = await record.write(lambda tx: TokenRecords(tx).default_workspace())
        tokens = ApiTokens(record, self.clock)
        other = await another_workspace(self.folder)
        self.write = (await tokens.issue(Actor(workspace, "cli"), "write")).token
        self.foreign = (await tokens.issue(Actor(other, "cli"), "foreign")).token

    async def crash(self) -> None:
        """As kill -9 does: whatever runs gets no further, and nothing is put away. What is opened then finds it."""
        me = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not me]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._let_processes_be_silent()
        while self._engines:
            self._engines.pop().dispose()
        self.clock.advance(SILENCE_SECONDS)
        await self._open()

    async def _let_processes_be_silent(self) -> None:
        """For the database's time too, by which processes judge one another."""
        then = database_time("sqlite", seconds_ago=SILENCE_SECONDS)
        with self._engines[-1].begin() as connection:
            connection.execute(update(PROCESSES).values(beaten_at=then))

    async def close(self) -> None:
        for opened in reversed(self._opened):
            await opened.aclose()

    async def learn(self, agent_id: str, source_id: str, url: str, title: str, markdown: str) -> str:
        """A page of a site, as the crawler gives it; how it ended."""
        page = PageContent(url, title, markdown, site="site.example")
        return (await self.knowledge.ingest.learn(UUID(agent_id), UUID(source_id), page)).outcome.value

    async def api(self, method: str, path: str, body: object = None, token: str | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token or self.write}"}
        return await self.http.request(method, path, json=body, headers=headers)

    async def read_and_leave(self, path: str, body: object, headers: Mapping[str, str], until: str) -> str:
        """Post, read the stream until it has said `until`, then go away; the text that was read."""
        asked, left, frames = asyncio.Event(), asyncio.Event(), ""

        async def receive() -> Message:
            if not asked.is_set():
                asked.set()
                return {"type": "http.request", "body": json.dumps(body).encode()}
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal frames
            assert message.get("status", 200) == 200, message
            frames += message.get("body", b"").decode()
            if until in text_of(frames):
                left.set()

        sent = {"content-type": "application/json", "host": "docent.example", **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "https",
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
            "client": ("192.0.2.1", 1),
            "server": ("docent.example", 443),
        }
        async with asyncio.timeout(20):
            await self.app(scope, receive, send)
        return text_of(frames)

    async def _open(self) -> SystemOfRecord:
        opened = AsyncExitStack()
        self._opened.append(opened)
        settings = read_settings(data=self.folder)
        engine = open_engine(settings.record_url)
        self._engines.append(engine)
        record = SystemOfRecord(engine, self.clock, TEST_KEYS, TURN_END_LISTENERS)
        base = await opened.enter_async_context(open_infrastructure(settings, self._doubles(record)))
        self.knowledge = await opened.enter_async_context(open_knowledge(base))
        await self.knowledge.jobs.mend()
        # Worker and web share a base.
        doubles = Doubles({Infrastructure: base, JobQueue: InlineJobQueue(self.knowledge.jobs)})
        self.app = (await opened.enter_async_context(open_app(settings, doubles))).app
        transport = httpx2.ASGITransport(app=self.app)
        self.http = await opened.enter_async_context(
            httpx2.AsyncClient(transport=transport, base_url="https://docent.example", trust_env=False, timeout=20)
        )
        return base.record

    def _doubles(self, record: SystemOfRecord) -> Doubles:
        return Doubles(
            {
                SystemOfRecord: record,
                Clock: self.clock,
                Embedder: HashingEmbedder(),
                Reranker: OverlapReranker(),
                Cache: self.shared.cache(),
                RateLimiter: self.shared.rate_limiter(),
                SharedTurns: self.shared.turns(),
                ChatModel: self.model,
                ContextWriter: None,
            }
        )


def text_of(frames: str) -> str:
    """What the `token` events of a stream say, whole frames only."""
    said = ""
    for line in frames.rpartition("\n\n")[0].splitlines():
        if line.startswith("data: "):
            said += json.loads(line[6:]).get("token", "")
    return said
