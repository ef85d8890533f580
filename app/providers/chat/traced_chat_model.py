"""ChatModel: each call a span, by OpenTelemetry's conventions for generative AI.

https://github.com/open-telemetry/semantic-conventions-genai
"""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from urllib.parse import urlsplit

from app.kit.tracing import Span, Value, begin, is_recording
from app.providers.chat.chat_model import ChatEnd, ChatItem, ChatMessage, ChatModel, ChatStream, TextDelta

_PORTS = {"http": 80, "https": 443}


class TracedChatModel:
    """`name` and `url` are the model's and its endpoint's. Without a recorder, a call costs nothing more."""

    def __init__(self, model: ChatModel, *, name: str, url: str) -> None:
        self._model = model
        self._name = name
        address = urlsplit(url)
        self._attributes: dict[str, Value] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",  # the protocol of the endpoint, whoever provides it
            "gen_ai.request.model": name,
            "gen_ai.request.stream": True,
            "server.address": address.hostname or "",
            "server.port": address.port or _PORTS.get(address.scheme, 0),
        }

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        async with AsyncExitStack() as opened:
            if not is_recording():
                yield await opened.enter_async_context(self._model.stream(messages, max_tokens=max_tokens))
                return
            attributes = self._attributes | {"gen_ai.request.max_tokens": max_tokens}
            span = begin(f"chat {self._name}", attributes, kind="client")
            span.set_text("gen_ai.input.messages", _messages(messages))
            began = time.perf_counter()
            try:
                with span.current():  # not while the answer is read: the reader's work is no part of the call
                    items = await opened.enter_async_context(self._model.stream(messages, max_tokens=max_tokens))
                async with aclosing(_watched(items, span, began)) as watched:
                    yield watched
            except BaseException as error:
                span.fail(type(error).__name__)
                raise
            finally:
                span.end()


async def _watched(items: ChatStream, span: Span, began: float) -> AsyncGenerator[ChatItem, None]:
    texts: list[str] = []
    async for item in items:
        if isinstance(item, TextDelta):
            if not texts:
                span.set("gen_ai.response.time_to_first_chunk", time.perf_counter() - began)
            texts.append(item.text)
        elif isinstance(item, ChatEnd):
            span.set("gen_ai.response.finish_reasons", [item.finish.value])
            span.set("gen_ai.usage.input_tokens", item.usage.prompt_tokens)
            span.set("gen_ai.usage.output_tokens", item.usage.completion_tokens)
            span.set("gen_ai.usage.cache_read.input_tokens", item.usage.cached_tokens)
            span.set_text("gen_ai.output.messages", _messages([ChatMessage("assistant", "".join(texts))]))
        yield item


def _messages(messages: Sequence[ChatMessage]) -> str:
    """The messages in the JSON schema of the conventions."""
    return json.dumps(
        [{"role": each.role, "parts": [{"type": "text", "content": each.content}]} for each in messages],
        ensure_ascii=False,
    )
