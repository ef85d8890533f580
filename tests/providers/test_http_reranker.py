"""Every shape of endpoint, spoken to in memory."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest

from app.core.errors import RerankerUnavailable
from app.providers.reranking.http_reranker import HttpReranker, Shape
from tests.contracts.reranker_contract import RerankerContract
from tests.doubles.overlap_reranker import OverlapReranker
from tests.every_row import every_row

SHAPES: tuple[Shape, ...] = ("cohere", "tei", "workers-ai")


class FakeEndpoint:
    """Scores by shared words, and answers the best first as the real ones do."""

    def __init__(self) -> None:
        self.asked: list[tuple[httpx.Request, Any]] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.asked.append((request, body))
        texts = body.get("documents") or body.get("texts") or [entry["text"] for entry in body["contexts"]]
        scores = await OverlapReranker().score(body["query"], texts, budget_seconds=1)
        best = sorted(enumerate(scores), key=lambda entry: entry[1].logit, reverse=True)
        if "documents" in body:
            found: Any = {"results": [{"index": n, "relevance_score": score.probability} for n, score in best]}
        elif "texts" in body:
            found = [{"index": n, "score": score.probability} for n, score in best]
        else:
            found = {"success": True, "result": {"response": [{"id": n, "score": s.probability} for n, s in best]}}
        return httpx.Response(200, json=found)


@asynccontextmanager
async def asking(handler: Callable[[httpx.Request], Any], **options: Any) -> AsyncIterator[HttpReranker]:
    settings = {"url": "https://rank.example/v1/rerank", "shape": "cohere", **options}
    reranker = HttpReranker(**settings, transport=httpx.MockTransport(handler))
    yield reranker
    await reranker.close()


@pytest.mark.parametrize("shape", SHAPES)
class TestHttpReranker(RerankerContract):
    @pytest.fixture
    async def reranker(self, shape: Shape) -> AsyncIterator[HttpReranker]:
        async with asking(FakeEndpoint(), shape=shape) as reranker:
            yield reranker


async def test_the_key_the_model_and_every_text_are_sent() -> None:
    endpoint = FakeEndpoint()
    async with asking(endpoint, model="rerank-v4", api_key="secret") as reranker:
        await reranker.score("refund", ["a", "b"], budget_seconds=5)

    [(request, body)] = endpoint.asked
    assert str(request.url) == "https://rank.example/v1/rerank"
    assert request.headers["authorization"] == "Bearer secret"
    assert body == {"model": "rerank-v4", "query": "refund", "documents": ["a", "b"], "top_n": 2}


async def test_logits_become_probabilities_and_back() -> None:
    def answer(score: float) -> Callable[[httpx.Request], httpx.Response]:
        return lambda request: httpx.Response(200, json=[{"index": 0, "score": score}])

    async with asking(answer(0.0), shape="tei", scores="logit") as reranker:
        [score] = await reranker.score("q", ["a"], budget_seconds=5)
        assert (score.logit, score.probability) == (0.0, 0.5)
    for extreme in (-0.01, 0.0, 1.0, 1.2):
        async with asking(answer(extreme), shape="tei") as reranker:
            [score] = await reranker.score("q", ["a"], budget_seconds=5)
            assert 0 <= score.probability <= 1
            assert abs(score.logit) < 20
    async with asking(answer(-9_999.0), shape="tei", scores="logit") as reranker:
        assert (await reranker.score("q", ["a"], budget_seconds=5))[0].probability < 1e-9


@every_row(
    ("response", "reason"),
    [
        (httpx.Response(500), "status 500"),
        (httpx.Response(401, json={"message": "key sk-1 is wrong"}), "status 401"),
        (httpx.Response(302, headers={"location": "https://elsewhere.example"}), "status 302"),
        (httpx.Response(200, text="<html>"), "invalid response"),
        (httpx.Response(200, json={"results": []}), "invalid response"),
        (httpx.Response(200, json={"results": [{"index": 0, "relevance_score": "x"}]}), "invalid response"),
        (httpx.Response(200, json={"results": [{"index": 0, "relevance_score": None}]}), "invalid response"),
        (httpx.Response(200, text='{"results": [{"index": 0, "relevance_score": NaN}]}'), "invalid response"),
        (httpx.Response(200, json=[1]), "invalid response"),
    ],
)
async def test_every_failure_is_the_reranker_being_unavailable(response: httpx.Response, reason: str) -> None:
    async with asking(lambda request: response) as reranker:
        with pytest.raises(RerankerUnavailable, match=rf"rank\.example.*{reason}") as caught:
            await reranker.score("q", ["a"], budget_seconds=5)

    assert caught.value.__cause__ is not None


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    async with asking(refuse) as reranker:
        with pytest.raises(RerankerUnavailable, match="cannot be reached"):
            await reranker.score("q", ["a"], budget_seconds=5)


async def test_a_server_that_is_slow_is_left() -> None:
    async def stall(request: httpx.Request) -> httpx.Response:
        await anyio.sleep_forever()
        raise AssertionError

    async with asking(stall) as reranker:
        with pytest.raises(RerankerUnavailable, match=r"budget of 0\.05 s"):
            await reranker.score("q", ["a"], budget_seconds=0.05)
