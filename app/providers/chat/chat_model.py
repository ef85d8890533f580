"""Port: a chat model."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from app.core.turn import Finish, TokenUsage


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A function that a model may call. `parameters` is the JSON Schema of its argument object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a function. `arguments` is JSON as the model wrote it, unchecked."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt. The first `shared_chars` of `content` are the same in other calls, so a provider may
    cache them.

    `reply_schema` is the JSON Schema of the reply that the message requires, an object with exactly those properties.
    Not every endpoint enforces it, so the message's own words have to require it as well. `tools` may be called instead
    of an answer, or after one; endpoints without function calling are not sent them.
    """

    role: Literal["system", "user", "assistant"]
    content: str
    shared_chars: int = 0
    reply_schema: Mapping[str, Any] | None = None
    tools: tuple[ToolOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of text, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A sign of life before the first text: the model reasons, or its server keeps the connection alive."""


@dataclass(frozen=True, slots=True)
class ChatEnd:
    """The last item of every stream that was not interrupted. `confidence`, in [0, 1], is the writer's own estimate of
    its answer, None if it has none. `calls` are the model's calls of tools, whether or not these were offered. `why`
    tells operators who refused or filtered the answer, "" for other ends."""

    finish: Finish
    usage: TokenUsage
    confidence: float | None = None
    calls: tuple[ToolCall, ...] = ()
    why: str = ""


ChatItem = TextDelta | Thinking | ChatEnd
ChatStream = AsyncIterator[ChatItem]


class ChatModel(Protocol):
    """A chat completion endpoint."""

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AbstractAsyncContextManager[ChatStream]:
        """Open one completion; leaving the block closes the request upstream.

        Entering or iterating raises ModelUnavailable before the first token, ModelInterrupted after it.
        """
        ...


class NamedChatModels(dict[str, ChatModel]):
    """Further models, by the names under which agents select them."""


def with_more(item: ChatItem, read: int, written: int) -> ChatItem:
    """The item; if it ends the stream, with the tokens of an earlier, failed call added to its usage."""
    if not isinstance(item, ChatEnd) or not (read or written):
        return item
    usage = item.usage
    prompt, completion = usage.prompt_tokens + read, usage.completion_tokens + written
    return replace(item, usage=replace(usage, prompt_tokens=prompt, completion_tokens=completion))
