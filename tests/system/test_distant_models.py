"""Visitors ask while hosted embedder and hosted reranker refuse, hang or are busy, through the whole service."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from anyio import to_thread
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from app.bootstrap.models import configured_question_embedder
from app.kit.meters import CircuitMeter
from app.main import open_app
from app.providers.embedding.embedder import Embedder, RememberingEmbedder
from app.settings import Settings, read_settings
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.system.conftest import SITE, Running, learnt_agent
from tests.web.live_server import serving

QUESTION = "Does the warranty of every lamp cover the battery as well?"


@pytest.fixture
def nobody() -> Iterator[str]:
    """Where connections are refused."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}"


@pytest.fixture
async def learnt(tmp_path: Path, provider: FakeOpenAI, nobody: str) -> tuple[Settings, str]:
    """With pages that the fake provider embedded; nobody listens where the reranker should be."""
    provider.dimensions = 8
    settings = read_settings(
        metrics_token=METRICS_TOKEN,
        data=tmp_path,
        embeddings_url=provider.url,
        embeddings_model="fake",
        embeddings_dimensions=8,
        rerank_url=f"{nobody}/rerank",
        shutdown_seconds=1,
    )
    return settings, await learnt_agent(settings)


@asynccontextmanager
async def running(settings: Settings, agent_id: str) -> AsyncIterator[Running]:
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, settings.data)


async def is_answered_by_words(service: Running) -> None:
    events = await (await service.visitor()).ask(QUESTION)
    said = "".join(event["token"] for event in events if event["event"] == "token")
    assert events[-1]["event"] == "done"
    assert "The warranty covers the battery as well" in said


async def are_left_alone(service: Running) -> None:
    metrics = await read_metrics(service.http)
    assert 'docent_circuit_open{part="embedder"} 1.0' in metrics
    assert 'docent_circuit_open{part="reranker"} 1.0' in metrics


async def test_words_alone_answer_and_neither_is_asked_after_three_failures(
    learnt: tuple[Settings, str], provider: FakeOpenAI
) -> None:
    provider.embeddings = JSONResponse({"error": {"message": "no"}}, 401)
    async with running(*learnt) as service:
        for _ in range(4):
            await is_answered_by_words(service)
        asked = len(provider.asked)
        events = await (await service.visitor()).ask("How long is the warranty of my lamp?")
        assert events[-1]["event"] == "done"
        assert len(provider.asked) == asked
        await are_left_alone(service)


async def test_those_that_hang_are_waited_for_briefly_and_then_left_alone(
    learnt: tuple[Settings, str], silence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.bootstrap.models._QUESTION_EMBEDDING_SECONDS", 0.2)
    settings, agent_id = learnt
    hanging = settings.model_copy(update={"embeddings_url": silence, "rerank_url": silence})
    async with running(hanging, agent_id) as service:
        for _ in range(4):
            await is_answered_by_words(service)
        await are_left_alone(service)


class Held(JSONResponse):
    """A refusal that waits until it may go, in the provider's thread."""

    def __init__(self) -> None:
        super().__init__({"error": {"message": "no"}}, 401)
        self.asked, self.may_go = threading.Event(), threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.set()
        await to_thread.run_sync(self.may_go.wait)
        await super().__call__(scope, receive, send)


async def test_past_the_embedders_queue_a_question_is_refused_before_it_begins(
    learnt: tuple[Settings, str], provider: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is embedded, one may wait, and the next hears that it should come again."""
    embedders: list[RememberingEmbedder] = []

    def kept(settings: Settings, embedder: Embedder, circuits: CircuitMeter) -> RememberingEmbedder:
        embedders.append(configured_question_embedder(settings, embedder, circuits))
        return embedders[0]

    async def nothing_is_warmed(*_: object) -> None:
        """It would be the one that is embedded."""

    monkeypatch.setattr("app.main.warm_up", nothing_is_warmed)
    monkeypatch.setattr("app.bootstrap.infrastructure.configured_question_embedder", kept)
    monkeypatch.setattr("app.bootstrap.models._QUESTION_EMBEDDING_SECONDS", 60)
    monkeypatch.setattr("app.bootstrap.models._DISTANT_RUNS", 1)
    settings, agent_id = learnt
    provider.embeddings = held = Held()
    async with running(settings.model_copy(update={"embedder_queue": 1}), agent_id) as service:
        first = asyncio.create_task(is_answered_by_words(service))
        await to_thread.run_sync(held.asked.wait)
        second = asyncio.create_task(is_answered_by_words(service))
        async with asyncio.timeout(20):
            while not embedders[0].is_full:  # noqa: ASYNC110 - the queue calls nobody
                await asyncio.sleep(0.01)

        late = await service.visitor()
        body = {"turn_id": str(uuid4()), "message": QUESTION, "page_url": f"{SITE}/"}
        headers = {"Authorization": f"Bearer {late.token}", "Origin": SITE}
        refused = await service.http.post("/v1/widget/messages/stream", json=body, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
        assert int(refused.headers["Retry-After"]) > 0

        held.may_go.set()
        await asyncio.gather(first, second)
        assert service.rows("SELECT count(*) FROM turns") == [(2,)]
        again = await service.http.post("/v1/widget/messages", json=body, headers=headers)
        assert "The warranty covers the battery as well" in again.json()["answer"]
