"""Which model answers when some do not."""

from collections.abc import Sequence

import anyio
import pytest

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.providers.chat.chat_model import ChatModel, TextDelta, Thinking
from app.providers.chat.failover_chat_model import FailoverChatModel
from tests.contracts.chat_model_contract import QUESTION, ChatModelContract, read, read_into
from tests.doubles.scripted_chat_model import ScriptedChatModel

DOWN = ModelUnavailable("down")


class _Pair:
    """Provider: the first model is always down, the second does what the test wants."""

    def __init__(self) -> None:
        self._model = ScriptedChatModel()

    def _behind_a_dead_one(self, model: ScriptedChatModel) -> ChatModel:
        self._model = model
        return FailoverChatModel([ScriptedChatModel([DOWN]), model])

    def says(self, tokens: Sequence[str]) -> ChatModel:
        return self._behind_a_dead_one(ScriptedChatModel(tokens))

    def fails_at_once(self) -> ChatModel:
        return self._behind_a_dead_one(ScriptedChatModel([DOWN]))

    def breaks_off_after(self, tokens: Sequence[str]) -> ChatModel:
        return self._behind_a_dead_one(ScriptedChatModel([*tokens, ModelInterrupted("no more")]))

    def falls_silent_after(self, tokens: Sequence[str]) -> ChatModel:
        return self._behind_a_dead_one(ScriptedChatModel([*tokens, anyio.Event()]))

    async def until_closed(self) -> None:
        assert self._model.closed == 1


class TestFailoverChatModel(ChatModelContract):
    @pytest.fixture
    def provider(self) -> _Pair:
        return _Pair()


async def test_the_first_model_answers_while_it_can() -> None:
    first, second = ScriptedChatModel(["one"]), ScriptedChatModel(["two"])

    assert (await read(FailoverChatModel([first, second])))[0] == ["one"]
    assert second.requests == []


async def test_the_failed_request_is_closed_before_the_next_is_opened() -> None:
    first, second = ScriptedChatModel([DOWN]), ScriptedChatModel(["two"])

    assert (await read(FailoverChatModel([first, second])))[0] == ["two"]
    assert (first.closed, second.closed) == (1, 1)


async def test_an_answer_that_has_begun_is_never_begun_again() -> None:
    second, texts = ScriptedChatModel(["two"]), list[str]()
    model = FailoverChatModel([ScriptedChatModel(["one", ModelInterrupted("no more")]), second])

    with pytest.raises(ModelInterrupted):
        await read_into(texts, model)

    assert texts == ["one"]
    assert second.requests == []


async def test_a_model_that_only_thought_is_followed_by_the_next() -> None:
    model = FailoverChatModel([ScriptedChatModel([Thinking(), DOWN]), ScriptedChatModel([Thinking(), "two"])])

    async with model.stream(QUESTION, max_tokens=100) as items:
        said = [item async for item in items]

    assert said[:3] == [Thinking(), Thinking(), TextDelta("two")]


async def test_when_none_answers_every_reason_is_told() -> None:
    models = [ScriptedChatModel([ModelUnavailable("A is down.")]), ScriptedChatModel([ModelUnavailable("B is down.")])]

    with pytest.raises(ModelUnavailable, match=r"A is down\. B is down\."):
        await read(FailoverChatModel(models))


async def test_a_model_that_failed_rests_and_then_leads_again() -> None:
    moment = 0.0
    first, second = ScriptedChatModel([DOWN], ["one"]), ScriptedChatModel(["two"])
    model = FailoverChatModel([first, second], rest_seconds=30, now=lambda: moment)

    assert [(await read(model))[0] for _ in range(3)] == [["two"]] * 3
    assert len(first.requests) == 1
    moment = 30.0
    assert (await read(model))[0] == ["one"]


async def test_a_resting_model_is_tried_when_the_others_fail_too() -> None:
    first = ScriptedChatModel([DOWN], ["one"])
    model = FailoverChatModel([first, ScriptedChatModel(["two"], [DOWN])])

    assert [(await read(model))[0] for _ in range(2)] == [["two"], ["one"]]


def test_no_models_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="no model"):
        FailoverChatModel([])


async def test_a_model_that_only_refused_the_prompt_is_asked_first_again() -> None:
    too_long = ModelUnavailable("too long", is_of_prompt=True)
    first, second = ScriptedChatModel([too_long], ["one"]), ScriptedChatModel(["two"])
    model = FailoverChatModel([first, second])

    assert (await read(model))[0] == ["two"]
    assert (await read(model))[0] == ["one"]
