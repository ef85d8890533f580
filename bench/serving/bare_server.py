"""`python -m bench.serving.bare_server PORT DATA AGENT_ID [MODEL_URL]`: the smallest honest server of a question,
made of the libraries that Docent is made of.

It answers from the indexes of a data folder that `bench.demo_corpus` has filled: the shipped embedder by ONNX, LanceDB
for vectors, Tantivy for words, fused by reciprocal ranks. A turn costs it the commits that it costs Docent: one with
the question before the turn starts, one with its end, each written through to the disk. The model's stream is handed
on; without one the text of the best chunk is the answer. It limits nothing, checks no answer, counts no gaps, cannot be
joined again, and knows one agent: what a question costs here is what these libraries cost.
"""

import argparse
import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

import httpx
import lancedb
import uvicorn
from lancedb.table import AsyncTable
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.settings import read_settings
from bench.serving.token_server import model_tokens
from bench.stages.floors import RawEmbedder, RawKeywords

T = TypeVar("T")

_RECALLED: Final = 50
_SOURCES: Final = 6
_COLUMNS: Final = ["chunk_id", "_distance"]  # without the distance LanceDB warns at each search
_RANK_CONSTANT: Final = 60  # Cormack et al. 2009
_PAST_MESSAGES: Final = 12
_RULES: Final = "Answer from the numbered sources only, and cite each that you use by its number, like [1]."
_SCHEMA: Final = """
pragma journal_mode = wal;
pragma synchronous = full;
create table chunks (id text primary key, url text, title text, text text);
create table conversations (id text primary key, turns integer, active real);
create table turns (id text primary key, conversation text, state text, sources text, began real, ended real);
create table messages (turn text, conversation text, role text, text text, at real);
create index messages_of_conversation on messages (conversation);
create table citations (turn text, number integer, url text, title text);
create table usage (turn text, prompt_chars integer, answer_chars integer);
"""
_LIVE_CHUNKS: Final = """
insert into chunks select chunks.id, documents.url, document_versions.title, chunks.text from docent.chunks
join docent.document_versions on document_versions.id = chunks.version_id
join docent.documents on documents.id = document_versions.document_id where document_versions.state = 'live'
"""


@dataclass(frozen=True, slots=True)
class Source:
    chunk_id: str
    url: str
    title: str
    text: str


class BareRecord:
    """SQLite, used by one thread at a time. The texts are copied from Docent's record once."""

    def __init__(self, data: Path) -> None:
        self._connection = sqlite3.connect(data / "bare.sqlite", check_same_thread=False)
        self._connection.executescript(_SCHEMA)
        self._connection.execute("attach ? as docent", (str(data / "docent.sqlite"),))
        with self._connection:
            self._connection.execute(_LIVE_CHUNKS)
        self._connection.execute("detach docent")

    def open(self) -> str:
        conversation = str(uuid4())
        with self._connection as tx:
            tx.execute("insert into conversations values (?, 0, ?)", (conversation, time.time()))
        return conversation

    def begin(self, turn: str, conversation: str, question: str) -> list[tuple[str, str]]:
        """Keeps the question; returns the messages before it as (role, text), oldest first."""
        now = time.time()
        with self._connection as tx:
            past = tx.execute(
                "select role, text from messages where conversation = ? order by rowid desc limit ?",
                (conversation, _PAST_MESSAGES),
            ).fetchall()
            active = "update conversations set turns = turns + 1, active = ? where id = ?"
            if not tx.execute(active, (now, conversation)).rowcount:
                raise LookupError("no such conversation")
            tx.execute("insert into turns values (?, ?, 'running', '', ?, null)", (turn, conversation, now))
            tx.execute("insert into messages values (?, ?, 'user', ?, ?)", (turn, conversation, question, now))
        return past[::-1]

    def finish(self, turn: str, conversation: str, answer: str, sources: Sequence[Source], prompt_chars: int) -> None:
        now = time.time()
        cited = [(turn, number, source.url, source.title) for number, source in enumerate(sources, 1)]
        used = json.dumps([source.chunk_id for source in sources])
        with self._connection as tx:
            tx.execute("update turns set state = 'done', sources = ?, ended = ? where id = ?", (used, now, turn))
            tx.execute("insert into messages values (?, ?, 'assistant', ?, ?)", (turn, conversation, answer, now))
            tx.executemany("insert into citations values (?, ?, ?, ?)", cited)
            tx.execute("insert into usage values (?, ?, ?)", (turn, prompt_chars, len(answer)))
            tx.execute("update conversations set active = ? where id = ?", (now, conversation))

    def sources(self, chunk_ids: Sequence[str]) -> list[Source]:
        """In the order of `chunk_ids`."""
        places = ",".join("?" * len(chunk_ids))
        rows = self._connection.execute(f"select id, url, title, text from chunks where id in ({places})", chunk_ids)
        found = {row[0]: Source(*row) for row in rows}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]


class BareServer:
    """Three threads beside the event loop: one each for the record, the embedder and the words."""

    def __init__(self, data: Path, agent_id: UUID, model_url: str | None) -> None:
        settings = read_settings(data=data)
        self._vectors_at = settings.vector_uri
        self._agent_id = agent_id
        self._model_url = model_url
        self._record = BareRecord(data)
        self._embedder = RawEmbedder(threads=1)  # further threads spin for longer than a question takes
        self._keywords = RawKeywords(next((settings.keyword_dir / str(agent_id)).iterdir()))
        self._threads = {part: ThreadPoolExecutor(1) for part in ("record", "embedder", "words")}
        self._http = httpx.AsyncClient(timeout=60, trust_env=False)
        self._table: AsyncTable
        routes = [
            Route("/v1/widget/init", self._init, methods=["POST"]),
            Route("/v1/widget/messages/stream", self._ask, methods=["POST"]),
            Route("/readyz", self._ready),
        ]
        self.app = Starlette(routes=routes, lifespan=self._opened)

    @asynccontextmanager
    async def _opened(self, app: Starlette) -> AsyncIterator[None]:
        connection = await lancedb.connect_async(self._vectors_at)
        [name] = (await connection.list_tables()).tables
        self._table = await connection.open_table(name)
        async with self._http:
            yield

    async def _init(self, request: Request) -> Response:
        return JSONResponse({"token": await self._on("record", self._record.open)})

    async def _ask(self, request: Request) -> Response:
        conversation = request.headers["authorization"].removeprefix("Bearer ")
        return EventSourceResponse(self._turn(await request.json(), conversation), sep="\n")

    async def _ready(self, request: Request) -> Response:
        return Response()

    async def _turn(self, asked: Mapping[str, str], conversation: str) -> AsyncIterator[dict[str, str]]:
        turn, question = asked["turn_id"], asked["message"]
        searching = asyncio.create_task(self._search(question))
        past = await self._on("record", partial(self._record.begin, turn, conversation, question))
        yield _frame(1, "start", {"turn_id": turn})
        sources = await searching
        messages = _prompt(question, past, sources)
        pieces = []
        async for piece in self._written(messages, sources):
            pieces.append(piece)
            yield _frame(len(pieces) + 1, "token", {"token": piece})
        prompt_chars = sum(len(message["content"]) for message in messages)
        end = partial(self._record.finish, turn, conversation, "".join(pieces), sources, prompt_chars)
        await self._on("record", end)
        cited = [{"id": number, "url": source.url, "title": source.title} for number, source in enumerate(sources, 1)]
        yield _frame(len(pieces) + 2, "citations", {"citations": cited})
        yield _frame(len(pieces) + 3, "done", {"turn_id": turn})

    async def _written(self, messages: list[dict[str, str]], sources: Sequence[Source]) -> AsyncIterator[str]:
        if self._model_url is None:
            yield sources[0].text
            return
        async for piece in model_tokens(self._http, self._model_url, messages):
            yield piece

    async def _search(self, question: str) -> list[Source]:
        """By reciprocal ranks of both lists, best first."""
        by_words = self._on("words", partial(self._keywords.search, question, _RECALLED))
        lists = await asyncio.gather(self._by_meaning(question), by_words)
        scores: dict[str, float] = {}
        for chunk_ids in lists:
            for rank, chunk_id in enumerate(chunk_ids, 1):
                scores[chunk_id] = scores.get(chunk_id, 0) + 1 / (_RANK_CONSTANT + rank)
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:_SOURCES]
        return await self._on("record", partial(self._record.sources, best))

    async def _by_meaning(self, question: str) -> list[str]:
        vector = (await self._on("embedder", partial(self._embedder.run, [question])))[0]
        nearest = self._table.query().nearest_to(vector).distance_type("cosine").bypass_vector_index()
        found = await nearest.where(f"agent_id = '{self._agent_id}'").select(_COLUMNS).limit(_RECALLED).to_arrow()
        chunk_ids: list[str] = found["chunk_id"].to_pylist()
        return chunk_ids

    async def _on(self, part: str, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads[part], work)


def _prompt(question: str, past: Sequence[tuple[str, str]], sources: Sequence[Source]) -> list[dict[str, str]]:
    told = "\n\n".join(f"[{number}] {one.title} {one.url}\n{one.text}" for number, one in enumerate(sources, 1))
    return [
        {"role": "system", "content": f"{_RULES}\n\n{told}"},
        *({"role": role, "content": text} for role, text in past),
        {"role": "user", "content": question},
    ]


def _frame(number: int, event: str, data: Mapping[str, Any]) -> dict[str, str]:
    return {"id": str(number), "event": event, "data": json.dumps({"event": event, **data})}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("data", type=Path)
    parser.add_argument("agent", type=UUID)
    parser.add_argument("model_url", nargs="?")
    arguments = parser.parse_args()
    app = BareServer(arguments.data, arguments.agent, arguments.model_url).app
    uvicorn.run(app, port=arguments.port, loop="uvloop", http="httptools", log_level="warning")


if __name__ == "__main__":
    main()
