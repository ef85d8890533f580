"""The shipped reranker, for real."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.core.errors import RerankerUnavailable
from app.providers.onnx_session import OnnxSession
from app.providers.onnx_threads import RERANKER_FOLDER, OnnxThreads
from app.providers.reranking import onnx_reranker
from app.providers.reranking.onnx_reranker import OnnxReranker
from tests.contracts.reranker_contract import AMPLE_SECONDS, RerankerContract


@pytest.fixture(scope="module")
async def reranker() -> AsyncIterator[OnnxReranker]:
    threads = OnnxThreads()
    yield OnnxReranker(RERANKER_FOLDER, threads)
    await threads.close()


class TestOnnxReranker(RerankerContract):
    async def test_scores_come_in_the_order_of_the_texts(self, reranker: OnnxReranker) -> None:
        texts = [f"Refunds, rule {n}. " + "It has more words. " * (n * 5 % 13) for n in range(13)]

        together = await reranker.score("refund rule", texts, budget_seconds=AMPLE_SECONDS)

        for text, score in list(zip(texts, together, strict=True))[::4]:
            [alone] = await reranker.score("refund rule", [text], budget_seconds=AMPLE_SECONDS)
            assert alone == score, "whatever else is read"

    async def test_a_long_question_leaves_room_for_the_text(self, reranker: OnnxReranker) -> None:
        good, bad = await reranker.score(
            "How do I get a refund? " + "please " * 3_000,
            ["To get a refund, open Orders and choose Refund.", "The office is closed on Sunday."],
            budget_seconds=AMPLE_SECONDS,
        )

        assert good.logit > bad.logit

    async def test_a_budget_that_ends_midway_is_an_error(self, reranker: OnnxReranker) -> None:
        with pytest.raises(RerankerUnavailable, match="budget"):
            await reranker.score("refund", ["long text " * 200] * 200, budget_seconds=0.05)


async def test_the_first_question_s_budget_begins_when_the_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    opening = OnnxSession.open

    def opened(session: OnnxSession) -> None:
        opening(session)
        events.append("loaded")

    def now() -> float:
        events.append("budget begins")
        return time.monotonic()

    monkeypatch.setattr(OnnxSession, "open", opened)
    monkeypatch.setattr(onnx_reranker, "time", SimpleNamespace(monotonic=now))
    threads = OnnxThreads()
    assert await OnnxReranker(RERANKER_FOLDER, threads).score("q", ["text"], budget_seconds=AMPLE_SECONDS)
    await threads.close()
    assert events[:2] == ["loaded", "budget begins"]


async def test_missing_weights_say_where_they_were_looked_for(tmp_path: Path) -> None:
    threads = OnnxThreads()

    with pytest.raises(RerankerUnavailable, match=tmp_path.name):
        await OnnxReranker(tmp_path, threads).score("q", ["text"], budget_seconds=AMPLE_SECONDS)
    with pytest.raises(RerankerUnavailable, match=tmp_path.name):
        await OnnxReranker(tmp_path, threads).open()
    await threads.close()


async def test_a_full_queue_refuses_at_once() -> None:
    with pytest.raises(RerankerUnavailable, match="busy"):
        await OnnxReranker(RERANKER_FOLDER, OnnxThreads(max_waiting=0)).score("q", ["text"], budget_seconds=60)
