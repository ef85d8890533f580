"""The ports behind a circuit: what is away is not asked, and callers hear the error that they know."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import anyio
import pytest

from app.core.chunk import IndexHit
from app.core.errors import (
    EmbedderUnavailable,
    IndexUnavailable,
    ModelInterrupted,
    ModelUnavailable,
    RerankerUnavailable,
)
from app.kit.circuit_breaker import CircuitBreaker
from app.providers.chat.bounded_chat_model import TimedChatModel
from app.providers.chat.chat_model import ChatItem, ChatMessage, ChatModel, ChatStream, TextDelta
from app.providers.circuits import CircuitChatModel, CircuitEmbedder, CircuitReranker, CircuitVectorSearch
from tests.contracts.chat_model_contract import ChatModelContract, read
from tests.contracts.embedder_contract import EmbedderContract
from tests.contracts.reranker_contract import RerankerContract
from tests.contracts.vector_index_contract import AGENT, row, unit
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step


class _Provider:
    """As the service puts them: a circuit around a limit of time around a model."""

    def __init__(self) -> None:
        self._model = ScriptedChatModel()

    def _plays(self, *steps: Step) -> ChatModel:
        self._model = ScriptedChatModel(steps)
        timed = TimedChatModel(self._model, silence_seconds=30, thinking_seconds=30, answer_seconds=30)
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


@pytest.mark.parametrize(
    ("steps", "error"),
    [([anyio.Event()], ModelUnavailable), (["Ten", anyio.Event()], ModelInterrupted)],
    ids=["before a word", "after one"],
)
async def test_a_model_that_says_nothing_is_not_waited_for(steps: list[Step], error: type[Exception]) -> None:
    timed = TimedChatModel(ScriptedChatModel(steps), silence_seconds=0.01, thinking_seconds=30, answer_seconds=30)
    with pytest.raises(error, match=r"said nothing for 0\.01 s"):
        await read(timed)


class _Ticking:
    """A word every `pace_seconds`, without an end."""

    def __init__(self, pace_seconds: float) -> None:
        self._pace_seconds = pace_seconds

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        async def words() -> AsyncIterator[ChatItem]:
            while True:
                await asyncio.sleep(self._pace_seconds)
                yield TextDelta("tick")

        yield words()


async def test_silence_is_counted_from_the_last_word_and_only_while_one_is_waited_for() -> None:
    timed = TimedChatModel(_Ticking(0.1), silence_seconds=0.6, thinking_seconds=0.01, answer_seconds=30)
    async with timed.stream([], max_tokens=1) as items:
        for _ in range(8):
            assert await anext(items) == TextDelta("tick")
        await asyncio.sleep(0.8)  # of the reader's
        assert await anext(items) == TextDelta("tick")


async def test_an_answer_without_an_end_is_ended() -> None:
    timed = TimedChatModel(_Ticking(0.01), silence_seconds=30, thinking_seconds=30, answer_seconds=0.05)
    with pytest.raises(ModelInterrupted, match=r"did not end its answer within 0\.05 s"):
        await read(timed)


async def test_a_reader_that_is_cancelled_is_not_told_of_a_silence() -> None:
    model = ScriptedChatModel(["Ten", anyio.Event()])
    timed = TimedChatModel(model, silence_seconds=30, thinking_seconds=30, answer_seconds=30)
    reading = asyncio.create_task(read(timed))
    await asyncio.wait([reading], timeout=0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


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


async def test_a_prompt_that_the_model_does_not_take_opens_no_circuit() -> None:
    model = ScriptedChatModel([ModelUnavailable("too long", is_of_prompt=True)])
    guarded = CircuitChatModel(model, CircuitBreaker("model"))
    for _ in range(4):
        with pytest.raises(ModelUnavailable, match="too long"):
            await read(guarded)
    assert len(model.requests) == 4


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


class _SilentStore(MemoryVectorIndex):
    """Takes calls and says nothing while `is_silent`."""

    def __init__(self) -> None:
        super().__init__()
        self.is_silent = True
        self.called = 0

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        await self._called()
        return await super().search(agent_id, vector, limit, among)

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        await self._called()
        return await super().similarities(agent_id, vector, chunk_ids)

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        await self._called()
        return await super().chunk_ids(agent_id)

    async def _called(self) -> None:
        self.called += 1
        if self.is_silent:
            await asyncio.Event().wait()


async def test_a_store_of_vectors_that_says_nothing_is_waited_for_three_times_and_tried_again_later() -> None:
    moment = 0.0
    store = _SilentStore()
    await store.put(AGENT, [row("near", unit(1))])
    vectors = CircuitVectorSearch(store, CircuitBreaker("vectors", now=lambda: moment), seconds=0.01)
    calls = (
        lambda: vectors.search(AGENT, unit(1), 5),
        lambda: vectors.similarities(AGENT, unit(1), ["near"]),
        lambda: vectors.chunk_ids(AGENT),
    )
    for call in calls * 3:
        with pytest.raises(IndexUnavailable):
            await call()
    assert store.called == 3

    moment, store.is_silent = 10.0, False
    assert [hit.chunk_id for hit in await vectors.search(AGENT, unit(1), 5)] == ["near"]
    assert await vectors.similarities(AGENT, unit(1), ["near"]) == {"near": pytest.approx(1)}
    assert await vectors.chunk_ids(AGENT) == {"near"}
