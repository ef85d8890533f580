"""Visitors ask while the hosted embedder and the hosted reranker are away, through the whole service."""

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from app.main import open_web
from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving


@pytest.fixture
async def distant(tmp_path: Path, provider: FakeOpenAI) -> AsyncIterator[Running]:
    """The fake provider embeds; nobody listens where the reranker should be."""
    provider.dimensions = 8
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings = read_settings(
            data=tmp_path,
            embeddings_url=provider.url,
            embeddings_model="fake",
            embeddings_dimensions=8,
            rerank_url=f"http://127.0.0.1:{closed.getsockname()[1]}/rerank",
            shutdown_seconds=1,
        )
        agent_id = await learnt_agent(settings)
        async with open_web(settings) as (app, _), serving(app) as (_, http):
            yield Running(http, agent_id, tmp_path)


async def test_words_alone_answer_and_neither_is_asked_after_three_failures(
    distant: Running, provider: FakeOpenAI
) -> None:
    provider.embeddings = JSONResponse({"error": {"message": "no"}}, 401)
    for _ in range(4):
        events = await (await distant.visitor()).ask("Does the warranty of every lamp cover the battery as well?")
        said = "".join(event["token"] for event in events if event["event"] == "token")
        assert events[-1]["event"] == "done"
        assert "The warranty covers the battery as well" in said
    asked = len(provider.asked)

    events = await (await distant.visitor()).ask("How long is the warranty of my lamp?")
    metrics = (await distant.http.get("/metrics")).text

    assert events[-1]["event"] == "done"
    assert len(provider.asked) == asked
    assert 'docent_circuit_open{part="embedder"} 1.0' in metrics
    assert 'docent_circuit_open{part="reranker"} 1.0' in metrics
