"""The ports behind a circuit: what is away is not asked, and callers hear the error that they know."""

import asyncio
from collections.abc import Sequence

import anyio
import pytest

from app.adapters.circuit_breaker import CircuitBreaker
from app.adapters.circuit_chat_model import CircuitChatModel
from app.adapters.circuit_embedder import CircuitEmbedder
from app.adapters.circuit_reranker import CircuitReranker
from app.adapters.timed_chat_model import TimedChatModel
from app.domain.errors import EmbedderUnavailable, ModelInterrupted, ModelUnavailable, RerankerUnavailable
from app.ports.chat_model import ChatModel
from tests.contracts.chat_model_contract import ChatModelContract, read
from tests.contracts.embedder_contract import EmbedderContract
from tests.contracts.reranker_contract import RerankerContract
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step


class _Provider:
    """As the service puts them: a circuit around a limit of time around a model."""

    def __init__(self) -> None:
        self._model = ScriptedChatModel()

    def _plays(self, *steps: Step) -> ChatModel:
        self._model = ScriptedChatModel(steps)
        timed = TimedChatModel(self._model, silence_seconds=30, answer_seconds=30)
        return CircuitChatModel(timed, CircuitBreaker("model"))

    def says(self, tokens: Sequence[str]) -> ChatModel:
        return self._plays(*tokens)

    def fails_at_once(self) -> ChatModel:
        return self._plays(ModelUnavailable("down"))

    def breaks_off_after(self, tokens: Sequence[str]) -> ChatModel:
        return self._plays(*tokens, ModelInterrupted("no more"))

    def falls_silent_after(self, tokens: Sequence[str]) -> ChatModel:
        return self._plays(*tokens, anyio.Event())

    async def until_closed(self) -> None:
        assert self._model.closed == 1


class TestCircuitChatModel(ChatModelContract):
    @pytest.fixture
    def provider(self) -> _Provider:
        return _Provider()


class TestCircuitReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> CircuitReranker:
        return CircuitReranker(OverlapReranker(), CircuitBreaker("reranker"))


class TestCircuitEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> CircuitEmbedder:
        return CircuitEmbedder(HashingEmbedder(), CircuitBreaker("embedder"), seconds=30)


async def test_answers_that_break_off_open_the_circuit_too() -> None:
    model = ScriptedChatModel(["Ten", ModelInterrupted("no more")])
    guarded = CircuitChatModel(model, CircuitBreaker("model"))
    for _ in range(3):
        with pytest.raises(ModelInterrupted):
            await read(guarded)
    with pytest.raises(ModelUnavailable, match="left alone"):
        await read(guarded)
    assert len(model.requests) == 3


@pytest.mark.parametrize(("asked_for", "left_alone_for"), [(0.5, 0.5), (30, 30), (86_400, 60)])
async def test_a_model_is_left_alone_for_as_long_as_it_asks_up_to_a_minute(
    asked_for: float, left_alone_for: float
) -> None:
    moment = 0.0
    model = ScriptedChatModel([ModelUnavailable("busy", asked_for)], ["Ten."])
    guarded = CircuitChatModel(model, CircuitBreaker("model", now=lambda: moment))
    with pytest.raises(ModelUnavailable, match="busy"):
        await read(guarded)
    moment = left_alone_for - 0.01
    with pytest.raises(ModelUnavailable, match="left alone"):
        await read(guarded)
    moment = left_alone_for
    assert (await read(guarded))[0] == ["Ten."]


async def test_a_reranker_that_is_away_is_not_asked() -> None:
    reranker = OverlapReranker()
    reranker.is_down = True
    guarded = CircuitReranker(reranker, CircuitBreaker("reranker"))
    for _ in range(3):
        with pytest.raises(RerankerUnavailable):
            await guarded.score("refund", ["a text"], budget_seconds=1)
    reranker.is_down = False
    with pytest.raises(RerankerUnavailable, match="left alone"):
        await guarded.score("refund", ["a text"], budget_seconds=1)


async def test_an_embedder_that_hangs_is_waited_for_three_times_and_no_more() -> None:
    asked = 0

    class Hanging(HashingEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            nonlocal asked
            asked += 1
            await asyncio.Event().wait()
            raise AssertionError("never")

    guarded = CircuitEmbedder(Hanging(), CircuitBreaker("embedder"), seconds=0.01)
    for _ in range(10):
        with pytest.raises(EmbedderUnavailable):
            await guarded.embed(["refund?"])
    assert asked == 3
