"""What a model shows of its thinking: that it thinks, and for how long at most."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from app.core.errors import ModelUnavailable
from app.providers.chat.bounded_chat_model import TimedChatModel
from app.providers.chat.chat_model import ChatItem, TextDelta, Thinking
from app.providers.chat.openai_chat_model import OpenAIChatModel
from tests.contracts.chat_model_contract import QUESTION, read
from tests.doubles.fake_openai import FakeOpenAI, Raw
from tests.doubles.scripted_chat_model import ScriptedChatModel


def _delta(**delta: Any) -> bytes:
    return f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\n".encode()


_ANSWERED = [_delta(role="assistant", content=""), _delta(content="Ten "), _delta(content="days."), b"data: [DONE]\n\n"]


@asynccontextmanager
async def _said(fake: FakeOpenAI, chunks: list[bytes]) -> AsyncIterator[list[ChatItem]]:
    fake.plays(Raw(chunks))
    model = OpenAIChatModel(base_url=fake.url, model="m", max_retries=0)
    async with model.stream(QUESTION, max_tokens=100) as items:
        yield [item async for item in items]
    await model.close()


@pytest.mark.parametrize(
    "thought",
    [
        [_delta(reasoning_content="Hm.")],
        [_delta(reasoning="Hm.")],
        [_delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}])],
        [b": keep-alive\n\n"],
        [_delta(content="<think>Hm."), _delta(content="</think>")],
    ],
    ids=["DeepSeek's field", "OpenRouter's field", "Mistral's part", "a comment", "between tags"],
)
async def test_thinking_is_shown_before_the_first_word_and_never_after(
    fake_openai: FakeOpenAI, thought: list[bytes]
) -> None:
    async with _said(fake_openai, [*thought, *_ANSWERED]) as said:
        first = next(at for at, item in enumerate(said) if isinstance(item, TextDelta))
        assert set(said[:first]) == {Thinking()}
        assert Thinking() not in said[first:]
        assert "".join(item.text for item in said if isinstance(item, TextDelta)) == "Ten days."


async def test_a_model_that_answers_at_once_does_not_think(fake_openai: FakeOpenAI) -> None:
    async with _said(fake_openai, _ANSWERED) as said:
        assert Thinking() not in said


async def test_a_model_that_thinks_is_waited_for_as_long_as_it_may_think() -> None:
    model = ScriptedChatModel([Thinking(), anyio.Event()])
    timed = TimedChatModel(model, silence_seconds=30, thinking_seconds=0.01, answer_seconds=30)
    with pytest.raises(ModelUnavailable, match=r"thought for 0\.01 s without a word"):
        await read(timed)


async def test_a_model_that_falls_silent_while_it_thinks_is_not_waited_for() -> None:
    model = ScriptedChatModel([Thinking(), anyio.Event()])
    timed = TimedChatModel(model, silence_seconds=0.01, thinking_seconds=30, answer_seconds=30)
    with pytest.raises(ModelUnavailable, match=r"said nothing for 0\.01 s"):
        await read(timed)


async def test_the_time_to_think_ends_with_the_first_word() -> None:
    wait = anyio.Event()
    model = ScriptedChatModel([Thinking(), "Ten ", wait, "days."])
    timed = TimedChatModel(model, silence_seconds=30, thinking_seconds=0.05, answer_seconds=30)
    async with timed.stream(QUESTION, max_tokens=100) as items:
        assert [await anext(items), await anext(items)] == [Thinking(), TextDelta("Ten ")]
        await anyio.sleep(0.1)
        wait.set()
        assert await anext(items) == TextDelta("days.")
