"""ChatModel by any endpoint that speaks OpenAI's chat completions (OpenAI, vLLM, Ollama, llama.cpp, ...)."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from types import MappingProxyType
from typing import Any, Final, Literal, cast, get_args
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2
import structlog
from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
)

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.setting_values import ReasoningEffort
from app.core.text.encodable_text import encodable
from app.core.turn import Finish, TokenUsage
from app.kit.tracing import trace_headers
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatStream, TextDelta
from app.providers.chat.visible_text import VisibleText
from app.providers.chat.written_calls import WrittenCalls
from app.providers.httptools_transport import READ, HttptoolsTransport
from app.providers.openai_errors import OPENAI_ERRORS, refused_field, seconds_asked_for, what_happened
from app.providers.provider_events import MAX_EVENT_BYTES, ProviderEvents

log = structlog.get_logger(__name__)

_FINISHES: Final = {"length": Finish.LENGTH, "content_filter": Finish.CONTENT_FILTER}
LengthField = Literal["max_tokens", "max_completion_tokens"]

_ROOM_FOR_REASONING: Final[dict[LengthField, int]] = {"max_tokens": 0, "max_completion_tokens": 4_000}
_REFUSED: Final = frozenset({400, 422})  # what servers respond with to a field that they do not accept
_CLOSING_SECONDS: Final = 1.0
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_REST_SECONDS: Final = 0.1  # a connection is kept only if its response was read to the end


class OpenAIChatModel:
    """One model of one provider.

    `silence_seconds` is the longest wait for the first token and between two. Retries cover the time before the
    response begins and honour the provider's Retry-After, which the last failure passes on; nothing is repeated once
    tokens flow. An event of more than `max_event_bytes` ends the answer.

    Most servers know only `max_tokens`, and some ignore fields that they do not know; OpenAI's newer models refuse it.
    So it is sent first, a refused request is repeated once with `max_completion_tokens`, and the accepted field is
    remembered. A reply schema and tools are sent until the endpoint refuses them and accepts the same request without;
    from then on the messages' own words must do. Hidden reasoning counts towards the length, so `reasoning_tokens` are
    added: by default 4,000 with the newer field and none otherwise, because a small context may not hold them.
    `temperature` and `reasoning_effort` are sent only if given, because many models refuse one or the other.
    `has_cache_control` marks the end of the shared text for endpoints that cache only what is marked.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        connect_seconds: float = 3.0,
        silence_seconds: float = 20.0,
        max_retries: int = 2,
        temperature: float | None = None,
        reasoning_effort: ReasoningEffort | None = None,
        reasoning_tokens: int | None = None,
        has_cache_control: bool = False,
        max_event_bytes: int = MAX_EVENT_BYTES,
    ) -> None:
        self._model = model
        self._temperature = temperature
        self._reasoning_effort = reasoning_effort
        self._reasoning_tokens = reasoning_tokens
        self._has_cache_control = has_cache_control
        self._length_field: LengthField | None = None  # until the endpoint has accepted one
        self._closes_alone = False  # its last answer ended its reasoning without having opened it
        self._not_taken: set[str] = set()  # fields beside the messages that it has refused
        self._max_event_bytes = max_event_bytes
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or "none",  # local servers need no key, but the SDK does
            max_retries=max_retries,
            timeout=httpx2.Timeout(silence_seconds, connect=connect_seconds),
            http_client=None if _is_proxied(base_url) else DefaultAsyncHttpxClient(transport=HttptoolsTransport()),
        )

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        completion = await self._begin(messages, max_tokens)
        try:
            async with aclosing(self._items(completion)) as items:
                yield items
        finally:
            # Also while we are being cancelled: an open request is paid for.
            with anyio.move_on_after(_CLOSING_SECONDS, shield=True):
                await completion.close()

    async def close(self) -> None:
        await self._client.close()

    async def _begin(self, messages: Sequence[ChatMessage], max_tokens: int) -> AsyncStream[ChatCompletionChunk]:
        beside = {name: value for name, value in _beside(messages).items() if name not in self._not_taken}
        try:
            if not beside:
                return await self._sized(messages, max_tokens)
            try:
                return await self._sized(messages, max_tokens, beside)
            except APIStatusError as refusal:
                if refusal.status_code not in _REFUSED or refused_field(refusal) not in {"", *beside}:
                    raise
            completion = await self._sized(messages, max_tokens)
            self._not_taken |= beside.keys()
            log.warning("model.field_refused", model=self._model, fields=sorted(beside))
            return completion
        except OPENAI_ERRORS as error:
            raise ModelUnavailable(self._told(what_happened(error)), seconds_asked_for(error)) from error

    async def _sized(
        self, messages: Sequence[ChatMessage], max_tokens: int, beside: Mapping[str, Any] = _NOTHING
    ) -> AsyncStream[ChatCompletionChunk]:
        if self._length_field is not None:
            return await self._request(messages, max_tokens, self._length_field, beside)
        return await self._first_taken(messages, max_tokens, beside)

    async def _first_taken(
        self, messages: Sequence[ChatMessage], max_tokens: int, beside: Mapping[str, Any]
    ) -> AsyncStream[ChatCompletionChunk]:
        older, newer = get_args(LengthField)
        field: LengthField = older
        try:
            completion = await self._request(messages, max_tokens, field, beside)
        except APIStatusError as refusal:
            if refusal.status_code not in _REFUSED or refused_field(refusal) not in {"", older}:
                raise
            field = newer
            try:
                completion = await self._request(messages, max_tokens, field, beside)
            except APIStatusError as error:
                # One of the two refusals was about the length field; the other one names the actual problem.
                raise (refusal if refused_field(error) == newer else error) from error
        self._length_field = field
        return completion

    async def _request(
        self,
        messages: Sequence[ChatMessage],
        max_tokens: int,
        field: LengthField,
        beside: Mapping[str, Any],
    ) -> AsyncStream[ChatCompletionChunk]:
        room = _ROOM_FOR_REASONING[field] if self._reasoning_tokens is None else self._reasoning_tokens
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(message, self._has_cache_control) for message in messages],
            field: max_tokens + room,
            "stream": True,
            "stream_options": {"include_usage": True},
            **beside,
        }
        if self._temperature is not None:
            asked["temperature"] = self._temperature
        if self._reasoning_effort:
            asked["reasoning_effort"] = self._reasoning_effort
        # Not `chat.completions.create`, which first validates every field of every message.
        return await self._client.post(
            "/chat/completions",
            cast_to=ChatCompletionChunk,
            body=asked,
            options={"headers": trace_headers()},
            stream=True,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )

    async def _items(self, completion: AsyncStream[ChatCompletionChunk]) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        has_begun, finish, half = False, "", ""
        usage = TokenUsage(model=self._model)
        events, calls = ProviderEvents(self._max_event_bytes), WrittenCalls()
        visible = VisibleText(is_held=self._closes_alone)
        read = _read(completion.response)
        try:
            while came := await read():
                for data in events.feed(came):
                    chunk = self._chunk(data, completion.response)
                    if reported := chunk.get("usage"):
                        usage = self._usage(reported)
                    choice = _ours(chunk)
                    calls.feed(choice.get("delta") or {})
                    text, half = _whole(half + _text(choice))
                    if text and (text := visible.feed(text)):
                        has_begun = True
                        yield TextDelta(text)
                    finish = str(choice.get("finish_reason") or finish)
                if events.is_done:
                    await _read_rest(read)
                    break
        except OPENAI_ERRORS as error:
            if rest := visible.break_off():
                has_begun = True
                yield TextDelta(rest)
            raise self._failed(what_happened(error), has_begun=has_begun) from error
        if rest := visible.close():
            has_begun = True
            yield TextDelta(rest)
        self._closes_alone = visible.closed_alone
        if not finish and not events.is_done:
            raise self._failed("ended its answer in the middle", has_begun=has_begun)
        if not has_begun and not calls.whole and finish != "content_filter":
            raise self._failed(_why_empty(finish), has_begun=False)
        yield ChatEnd(_FINISHES.get(finish, Finish.COMPLETE), usage, calls=calls.whole)

    def _chunk(self, data: str, response: httpx2.Response) -> dict[str, Any]:
        """The event's JSON object; anything else counts as an empty one."""
        chunk = json.loads(data)
        if not isinstance(chunk, dict):
            return {}
        if error := chunk.get("error"):
            raise APIError("an error in the stream", response.request, body=error)
        return chunk

    def _usage(self, reported: Any) -> TokenUsage:
        details = reported.get("prompt_tokens_details") or {}
        return TokenUsage(
            reported.get("prompt_tokens") or 0,
            reported.get("completion_tokens") or 0,
            self._model,
            details.get("cached_tokens") or reported.get("prompt_cache_hit_tokens") or 0,
        )

    def _failed(self, happened: str, *, has_begun: bool) -> ModelInterrupted | ModelUnavailable:
        message = self._told(happened)
        return ModelInterrupted(message) if has_begun else ModelUnavailable(message)

    def _told(self, happened: str) -> str:
        return f"The model {self._model} at {self._client.base_url.host} {happened}."


def _read(response: httpx2.Response) -> Callable[[], Awaitable[bytes]]:
    """A function that returns the next bytes, b"" at the end. It bypasses the layers of httpx2 that decode and split,
    if the body is not encoded."""
    if READ in response.extensions and "content-encoding" not in response.headers:
        return cast(Callable[[], Awaitable[bytes]], response.extensions[READ])
    reads = response.aiter_bytes()
    return lambda: anext(reads, b"")


def _is_proxied(base_url: str) -> bool:
    """Whether the environment's proxy variables (HTTPS_PROXY, NO_PROXY ...) apply to it."""
    address = urlsplit(base_url)
    proxies = getproxies()
    return bool({address.scheme, "all"} & proxies.keys()) and not proxy_bypass(address.netloc)


def _ours(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    """The choice that was asked for, whatever else the chunk has and in whatever order."""
    choices: Sequence[Mapping[str, Any]] = chunk.get("choices") or ()
    return next((choice for choice in choices if not choice.get("index")), {})


def _whole(text: str) -> tuple[str, str]:
    """The text without the half of a character at its end, and that half: endpoints that count UTF-16 split emoji."""
    if text.isascii():
        return text, ""
    cut = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
    whole = text[:cut].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole, text[cut:]


def _text(choice: Any) -> str:
    text = (choice.get("delta") or {}).get("content") or ""
    if isinstance(text, list):  # parts, among them the reasoning of Mistral's models
        return "".join(str(part.get("text") or "") for part in text if part.get("type") == "text")
    if not isinstance(text, str):
        raise TypeError("a delta that is no text")
    return text


def _why_empty(finish: str) -> str:
    if finish != "length":
        return "gave an empty answer"
    return (
        "used its whole length up before its first word, as models do that reason: raise the setting for reasoning "
        "tokens, or lower the reasoning effort"
    )


async def _read_rest(read: Callable[[], Awaitable[bytes]]) -> None:
    with anyio.move_on_after(_REST_SECONDS), suppress(*OPENAI_ERRORS):
        while await read():
            pass


def _beside(messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """The request fields besides the messages that these need."""
    schema = next((message.reply_schema for message in messages if message.reply_schema is not None), None)
    tools = [tool for message in messages for tool in message.tools]
    beside: dict[str, Any] = {}
    if schema is not None:
        told = {"name": "reply", "strict": True, "schema": dict(schema)}
        beside["response_format"] = {"type": "json_schema", "json_schema": told}
    if tools:
        beside["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in tools
        ]
    return beside


def _message(message: ChatMessage, has_cache_control: bool) -> ChatCompletionMessageParam:
    content = encodable(message.content)
    if has_cache_control and message.shared_chars:
        shared, own = content[: message.shared_chars], content[message.shared_chars :]
        kept = {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}}
        parts = [kept, {"type": "text", "text": own}] if own else [kept]
        return cast(ChatCompletionMessageParam, {"role": message.role, "content": parts})
    match message.role:
        case "system":
            return ChatCompletionSystemMessageParam(role="system", content=content)
        case "user":
            return ChatCompletionUserMessageParam(role="user", content=content)
        case "assistant":
            return ChatCompletionAssistantMessageParam(role="assistant", content=content)
