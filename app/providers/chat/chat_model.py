"""Port: a model that writes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from app.core.turn import Finish, TokenUsage


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A function that a model may ask for. `parameters` is the JSON Schema of the object that it gives."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks for. `arguments` is JSON as it wrote it: nobody has looked at it."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """The first `shared_chars` of `content` stand in other calls too: a provider may keep what it has read of them.

    `reply_schema` is the JSON Schema of the reply that the message asks for, of an object that has all of its
    properties and no other. Endpoints that can hold a model to it do; elsewhere the message's own words must do.
    `tools` may be asked for instead of an answer, or behind one; endpoints that know no function calling are not told
    of them."""

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
class ChatEnd:
    """The last item of every stream that was not interrupted. `confidence` in [0, 1] is what a writer thinks of its own
    answer, None where it cannot tell; `calls` are the tools that the model asks for, of those that it was offered or
    not."""

    finish: Finish
    usage: TokenUsage
    confidence: float | None = None
    calls: tuple[ToolCall, ...] = ()


ChatStream = AsyncIterator[TextDelta | ChatEnd]


class ChatModel(Protocol):
    """A chat completion endpoint."""

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AbstractAsyncContextManager[ChatStream]:
        """Open one completion; leaving the block closes the request upstream.

        Entering or iterating raises ModelUnavailable before the first token, ModelInterrupted after it.
        """
        ...
