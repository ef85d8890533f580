"""What every ChatModel promises."""

from collections.abc import Sequence
from typing import Protocol

import anyio
import pytest

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.turn import Finish
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatModel, TextDelta

QUESTION = [ChatMessage("system", "Be brief."), ChatMessage("user", "Refunds?")]


class Provider(Protocol):
    """Where the model's answers come from, told beforehand what happens."""

    def says(self, tokens: Sequence[str]) -> ChatModel: ...

    def fails_at_once(self) -> ChatModel: ...

    def breaks_off_after(self, tokens: Sequence[str]) -> ChatModel: ...

    def falls_silent_after(self, tokens: Sequence[str]) -> ChatModel:
        """Says the tokens, then nothing for longer than a test lasts, unless it is closed."""
        ...

    async def until_closed(self) -> None:
        """Wait until the last request was closed from our side."""
        ...


async def read(model: ChatModel) -> tuple[list[str], ChatEnd]:
    """The text deltas, and the end."""
    texts: list[str] = []
    return texts, await read_into(texts, model)


async def read_into(texts: list[str], model: ChatModel) -> ChatEnd:
    async with model.stream(QUESTION, max_tokens=100) as stream:
        async for item in stream:
            if isinstance(item, ChatEnd):
                return item
            if isinstance(item, TextDelta):
                texts.append(item.text)
    raise AssertionError("the stream ended without its end")


class ChatModelContract:
    """A subclass gives the fixture `provider`."""

    async def test_text_comes_in_pieces_and_the_end_last(self, provider: Provider) -> None:
        texts, end = await read(provider.says(["Ten", " days", "."]))

        assert "".join(texts) == "Ten days."
        assert all(texts)
        assert end.finish is Finish.COMPLETE
        assert end.usage.prompt_tokens > 0
        assert end.usage.completion_tokens > 0
        assert end.usage.model

    async def test_a_failure_before_the_first_token_says_that_another_may_be_tried(self, provider: Provider) -> None:
        with pytest.raises(ModelUnavailable):
            await read(provider.fails_at_once())

    async def test_a_failure_after_the_first_token_keeps_the_text(self, provider: Provider) -> None:
        texts: list[str] = []

        with pytest.raises(ModelInterrupted):
            await read_into(texts, provider.breaks_off_after(["Ten", " days"]))

        assert "".join(texts) == "Ten days"

    async def test_leaving_the_block_closes_the_request(self, provider: Provider) -> None:
        model = provider.falls_silent_after(["Ten"])

        async with model.stream(QUESTION, max_tokens=100) as stream:
            assert await anext(stream) == TextDelta("Ten")

        with anyio.fail_after(120):
            await provider.until_closed()

    async def test_cancelling_the_reader_closes_the_request(self, provider: Provider) -> None:
        model, has_begun = provider.falls_silent_after(["Ten"]), anyio.Event()

        async def reading() -> None:
            async with model.stream(QUESTION, max_tokens=100) as stream:
                async for _ in stream:
                    has_begun.set()

        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                group.start_soon(reading)
                await has_begun.wait()
                group.cancel_scope.cancel()
            await provider.until_closed()
