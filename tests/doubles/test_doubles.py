"""The doubles keep the contracts that the real adapters keep."""

from collections.abc import Sequence

import anyio
import pytest

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.providers.chat.chat_model import ChatModel, TextDelta
from app.providers.token_counter import TokenCounter
from tests.contracts.chat_model_contract import ChatModelContract
from tests.contracts.embedder_contract import EmbedderContract
from tests.contracts.keyword_index_contract import KeywordIndexContract
from tests.contracts.reranker_contract import RerankerContract
from tests.contracts.vector_index_contract import VectorIndexContract
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.scripted_chat_model import ScriptedChatModel


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashingEmbedder:
        return HashingEmbedder()

    def test_it_counts_words(self) -> None:
        counter: TokenCounter = HashingEmbedder()

        assert counter.count("Two words.") == 2


class TestOverlapReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> OverlapReranker:
        return OverlapReranker()


class TestMemoryVectorIndex(VectorIndexContract):
    @pytest.fixture
    def index(self) -> MemoryVectorIndex:
        return MemoryVectorIndex()


class TestMemoryKeywordIndex(KeywordIndexContract):
    @pytest.fixture
    def index(self) -> MemoryKeywordIndex:
        return MemoryKeywordIndex()


class _Script:
    """Provider of scripted models."""

    def __init__(self) -> None:
        self._model = ScriptedChatModel()

    def says(self, tokens: Sequence[str]) -> ChatModel:
        return ScriptedChatModel(tokens)

    def fails_at_once(self) -> ChatModel:
        return ScriptedChatModel([ModelUnavailable("no")])

    def breaks_off_after(self, tokens: Sequence[str]) -> ChatModel:
        return ScriptedChatModel([*tokens, ModelInterrupted("no more")])

    def falls_silent_after(self, tokens: Sequence[str]) -> ChatModel:
        self._model = ScriptedChatModel([*tokens, anyio.Event()])
        return self._model

    async def until_closed(self) -> None:
        assert self._model.closed == 1


class TestScriptedChatModel(ChatModelContract):
    @pytest.fixture
    def provider(self) -> _Script:
        return _Script()

    async def test_each_call_plays_the_next_reply(self) -> None:
        model = ScriptedChatModel(["one"], ["two"])

        for expected in ("one", "two", "two"):
            async with model.stream([], max_tokens=1) as stream:
                assert await anext(stream) == TextDelta(expected)


def test_the_clock_stands_until_it_is_moved() -> None:
    clock = FixedClock()
    before = clock.now()

    assert clock.now() == before
    clock.advance(90)
    assert (clock.now() - before).total_seconds() == 90
