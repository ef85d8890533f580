"""Visitors ask while the object store of the vectors takes connections and says nothing, through the whole service."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.errors import IndexUnavailable
from app.main import open_app
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from app.settings import read_settings
from tests.contracts.vector_index_contract import AGENT, DIMENSIONS, unit
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

OPTIONS = "allow_http=true,region=eu-north-1,aws_access_key_id=key,aws_secret_access_key=secret"
QUESTIONS = (
    "Does the warranty of every lamp cover the battery as well?",
    "Does a lamp's warranty cover its battery?",
    "Is the battery of a lamp covered by the warranty as well?",
    "Warranty: does it cover the battery of every lamp?",
)


@pytest.fixture
async def service(tmp_path: Path, silence: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    """An agent that has read its pages, whose vectors are on a store that has fallen silent since."""
    monkeypatch.setattr("app.bootstrap.adapters._VECTORS_SECONDS", 0.2)
    agent_id = await learnt_agent(read_settings(data=tmp_path))
    settings = read_settings(
        data=tmp_path,
        metrics_token=METRICS_TOKEN,
        vectors_uri="s3://docent/vectors",
        vectors_options=f"endpoint={silence},{OPTIONS}",
        shutdown_seconds=1,
    )
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, tmp_path)


async def test_words_answer_meanwhile_and_the_metrics_name_the_part(service: Running) -> None:
    async with asyncio.timeout(30):  # LanceDB alone waits for minutes
        for question in QUESTIONS:
            events = await (await service.visitor()).ask(question)
            assert events[-1]["event"] == "done"
            assert "The warranty covers the battery as well" in "".join(event.get("token", "") for event in events)
        ready = await service.http.get("/readyz")
    assert ready.json()["parts"] == {"record": True, "indexes": True, "turns": True}
    assert 'docent_circuit_open{part="vectors"} 1.0' in await read_metrics(service.http)
    traces = service.rows("SELECT trace FROM turns")
    assert len(traces) == len(QUESTIONS)
    assert all("vectors" in trace for (trace,) in traces)


async def test_what_writes_gives_up_when_its_own_time_is_over(silence: str) -> None:
    options = dict(option.split("=") for option in OPTIONS.split(","))
    index = LanceDBVectorIndex(
        "s3://docent/vectors",
        model_id="model",
        dimensions=DIMENSIONS,
        storage_options={"endpoint": silence, **options, "timeout": "0.2s", "client_max_retries": "0"},
    )
    async with asyncio.timeout(30):
        with pytest.raises(IndexUnavailable):
            await index.search(AGENT, unit(1), 5)
