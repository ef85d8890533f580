"""ChatModel by any endpoint that speaks OpenAI's chat completions (OpenAI, vLLM, Ollama, llama.cpp, ...)."""

import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2
import structlog
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Omit
from openai.types.chat import ChatCompletionChunk

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.setting_values import ReasoningEffort
from app.core.turn import Finish, TokenUsage
from app.kit.tracing import trace_headers
from app.providers.chat.chat_model import ChatEnd, ChatItem, ChatMessage, ChatStream, TextDelta, Thinking, with_more
from app.providers.chat.completion_stream import (
    WrittenCalls,
    has_reasoning,
    our_choice,
    reported_error,
    text_of,
    whole_characters,
)
from app.providers.chat.taken_fields import LengthField, TakenFields, as_param, fields_beside
from app.providers.chat.visible_text import VisibleText
from app.providers.httptools_transport import READ, HttptoolsTransport
from app.providers.openai_errors import (
    LONGEST_RETRY_SECONDS,
    OPENAI_ERRORS,
    filtered_for,
    is_filtered,
    is_of_prompt,
    is_of_request,
    seconds_asked_for,
    seconds_until_retry,
    what_happened,
)
from app.providers.provider_events import MAX_EVENT_BYTES, ProviderEvents, WholeCompletion

log = structlog.get_logger(__name__)

# Any other finish reason means that the answer broke off: some providers name an error there.
_FINISHES: Final = {
    **dict.fromkeys(("length", "max_tokens"), Finish.LENGTH),
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence"), Finish.COMPLETE),
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), Finish.COMPLETE),
    **dict.fromkeys(
        ("content_filter", "safety", "recitation", "prohibited_content", "blocklist"), Finish.CONTENT_FILTER
    ),
    **dict.fromkeys(("spii", "refusal"), Finish.CONTENT_FILTER),
}
_ROOM_FOR_REASONING: Final[dict[LengthField, int]] = {"max_tokens": 0, "max_completion_tokens": 4_000}
_CLOSING_SECONDS: Final = 1.0
_MORE_ROOM: Final = 4_000  # tokens for reasoning, once an answer had none left for its first word
_JITTER_SECONDS: Final = 0.3
_USAGE_SECONDS: Final = 1.0
_MOST_TOKENS: Final = 10_000_000  # of one request
_REST_SECONDS: Final = 0.1  # a connection is kept only if its response was read to the end


class OpenAIChatModel:
    """One model of one provider.

    `silence_seconds` is the longest wait for the first token and between two. Retries cover the time before the
    response begins and honour the provider's Retry-After, which the last failure passes on; nothing is repeated once
    tokens flow. An event of more than `max_event_bytes` ends the answer.

    Without `max_retries`, a request that a server refuses for a moment (`seconds_until_retry`) is repeated once, after
    two seconds at most. Fields that the endpoint refuses are left out (`TakenFields`). Hidden reasoning counts towards
    the length, so `reasoning_tokens` are added: by default 4,000 with the newer field and none otherwise, because a
    small context may not hold them. An answer that used its length up before its first word is asked for once more with
    room for 4,000 more, and so are all after it. `temperature` and `reasoning_effort` are sent only if given, because
    many models refuse either. `has_cache_control` marks the end of the shared text for endpoints that cache what is
    marked. A `base_url` with an `api-version` is Azure's older one, which takes the key in a header of its own.
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
        client: httpx2.AsyncClient | None = None,  # closed with the model
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._model = model
        self._temperature = temperature
        self._reasoning_effort = reasoning_effort
        self._reasoning_tokens = reasoning_tokens
        self._has_cache_control = has_cache_control
        self.taken = TakenFields(model)
        self._headers = _azure_key(base_url, api_key)
        self._is_repeated = max_retries > 0
        self._sleep = sleep
        self._closes_alone = False  # whether the last answer closed its reasoning with a tag that nothing had opened
        self._has_more_room = False
        self._max_event_bytes = max_event_bytes
        if client is None and not _is_proxied(base_url):
            client = DefaultAsyncHttpxClient(transport=HttptoolsTransport())
        self._client = AsyncOpenAI(
            base_url=urlsplit(base_url)._replace(query="").geturl(),
            default_query=dict(parse_qsl(urlsplit(base_url).query)),
            api_key=api_key or "none",  # local servers need no key, but the SDK does
            max_retries=max_retries,
            timeout=httpx2.Timeout(silence_seconds, connect=connect_seconds),
            http_client=client,
        )

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        opened: list[AsyncStream[ChatCompletionChunk]] = []
        try:
            try:
                opened.append(await self._begin(messages, max_tokens))
            except _Filtered as error:
                yield _only(ChatEnd(Finish.CONTENT_FILTER, TokenUsage(model=self._model), why=str(error)))
                return
            async with aclosing(self._with_room(opened, messages, max_tokens)) as items:
                yield items
        finally:
            # Also if this task is being cancelled: an open request costs money.
            with anyio.move_on_after(_CLOSING_SECONDS, shield=True):
                for completion in opened:
                    await completion.close()

    async def _with_room(
        self, opened: list[AsyncStream[ChatCompletionChunk]], messages: Sequence[ChatMessage], max_tokens: int
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield the items of the open completion. If its length was used up before the first word, open another one
        with more room, add it to `opened`, and yield that one's items."""
        had_room = self._has_more_room
        spent = TokenUsage()
        try:
            async with aclosing(self._items(opened[0])) as items:
                async for item in items:
                    yield item
            return
        except _NoRoom as error:
            spent = error.usage
            if had_room:
                raise self._failed(_why_empty("length"), spent, has_begun=False) from error
        self._has_more_room = True
        log.warning("model.room_added", model=self._model, tokens=_MORE_ROOM)
        opened.append(await self._begin(messages, max_tokens))
        try:
            async with aclosing(self._items(opened[1])) as items:
                async for item in items:
                    yield with_more(item, spent.prompt_tokens, spent.completion_tokens)
        except _NoRoom as error:
            read, written = error.usage.prompt_tokens, error.usage.completion_tokens
            both = TokenUsage(spent.prompt_tokens + read, spent.completion_tokens + written)
            raise self._failed(_why_empty("length"), both, has_begun=False) from error

    async def close(self) -> None:
        await self._client.close()

    async def _begin(self, messages: Sequence[ChatMessage], max_tokens: int) -> AsyncStream[ChatCompletionChunk]:
        fields: dict[str, Any] = {
            "model": self._model,
            "messages": [as_param(message, self._has_cache_control) for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            **fields_beside(messages),
        }
        if self._temperature is not None:
            fields["temperature"] = self._temperature
        if self._reasoning_effort:
            fields["reasoning_effort"] = self._reasoning_effort
        lengths = {field: max_tokens + self._room(field) for field in _ROOM_FOR_REASONING}
        try:
            return await self.taken.ask(fields, lengths, self._post)
        except OPENAI_ERRORS as error:
            message, is_prompts = self._reason(what_happened(error)), is_of_request(error)
            if is_filtered(error):
                raise _Filtered(message) from error
            raise ModelUnavailable(message, seconds_asked_for(error), is_of_prompt=is_prompts) from error

    def _room(self, field: LengthField) -> int:
        room = _ROOM_FOR_REASONING[field] if self._reasoning_tokens is None else self._reasoning_tokens
        return room + (_MORE_ROOM if self._has_more_room else 0)

    async def _post(self, body: dict[str, Any]) -> AsyncStream[ChatCompletionChunk]:
        """Send the request; send it once more if it was refused for a moment."""
        try:
            return await self._request(body)
        except (APIStatusError, APIConnectionError) as error:
            if self._is_repeated or (wait := seconds_until_retry(error)) is None:
                raise
            log.info("model.asked_again", model=self._model, seconds=wait)
        await self._sleep(min(wait + random.uniform(0, _JITTER_SECONDS), LONGEST_RETRY_SECONDS))  # noqa: S311
        return await self._request(body)

    async def _request(self, body: dict[str, Any]) -> AsyncStream[ChatCompletionChunk]:
        # Not `chat.completions.create`, which first validates every field of every message.
        return await self._client.post(
            "/chat/completions",
            cast_to=ChatCompletionChunk,
            body=body,
            options={"headers": {**trace_headers(), **self._headers}},
            stream=True,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )

    async def _items(self, completion: AsyncStream[ChatCompletionChunk]) -> AsyncGenerator[ChatItem, None]:
        has_begun, has_refused, finish, half = False, False, "", ""
        is_whole = completion.response.headers.get("content-type", "").startswith("application/json")
        events = (WholeCompletion if is_whole else ProviderEvents)(self._max_event_bytes)
        calls, usage = WrittenCalls(), TokenUsage(model=self._model)
        visible = VisibleText(is_held=self._closes_alone)
        read = _read(completion.response)
        try:
            while came := await (_last(read) if finish else read()):
                if not has_begun and came.startswith(b":"):  # an SSE comment, which keeps the connection alive
                    yield Thinking()
                for data in events.feed(came):
                    chunk = self._chunk(data, completion.response)
                    if reported := chunk.get("usage") or (chunk.get("x_groq") or {}).get("usage"):
                        usage = self._usage(reported)
                    choice = our_choice(chunk)
                    calls.feed(choice.get("delta") or {})
                    text, half = whole_characters(half + text_of(choice))
                    if text and (text := visible.feed(text)):
                        has_begun = True
                        yield TextDelta(text)
                    elif not has_begun and (visible.is_thinking or has_reasoning(choice.get("delta") or {})):
                        yield Thinking()
                    has_refused = has_refused or bool((choice.get("delta") or {}).get("refusal"))
                    finish = str(choice.get("finish_reason") or finish)
                if events.is_done:
                    await _read_rest(read)
                    break
        except OPENAI_ERRORS as error:
            if rest := visible.break_off():
                has_begun = True
                yield TextDelta(rest)
            if is_filtered(error):
                yield ChatEnd(Finish.CONTENT_FILTER, usage, why=self._reason(what_happened(error)))
                return
            is_prompts = is_of_prompt(error)
            raise self._failed(what_happened(error), usage, has_begun=has_begun, is_of_prompt=is_prompts) from error
        if rest := visible.close():
            has_begun = True
            yield TextDelta(rest)
        self._closes_alone = visible.closed_alone
        if not finish and not events.is_done:
            raise self._failed("ended its answer in the middle", usage, has_begun=has_begun)
        ended = _finish(finish)
        if ended is None:
            why = "stopped in the middle of its answer, for a reason of its own"
            raise self._failed(why, usage, has_begun=has_begun)
        if not has_begun and has_refused:
            ended = Finish.CONTENT_FILTER
        if not has_begun and not calls.whole and ended is not Finish.CONTENT_FILTER:
            if ended is Finish.LENGTH:
                raise _NoRoom(usage)
            raise self._failed(_why_empty(finish), usage, has_begun=False)
        happened = "refused to answer" if has_refused else f"filtered its answer{filtered_for(finish)}"
        why = self._reason(happened) if ended is Finish.CONTENT_FILTER else ""
        yield ChatEnd(ended, usage, calls=calls.whole, why=why)

    def _chunk(self, data: str, response: httpx2.Response) -> dict[str, Any]:
        """The event's JSON object; anything else counts as an empty one. Raises APIError if it reports an error."""
        chunk = json.loads(data)
        if not isinstance(chunk, dict):
            return {}
        if error := reported_error(chunk):
            raise APIError("an error in the stream", response.request, body=error)
        return chunk

    def _usage(self, reported: Any) -> TokenUsage:
        read, written = _tokens(reported, "prompt_tokens"), _tokens(reported, "completion_tokens")
        cached = _tokens(reported, "prompt_tokens_details", "cached_tokens")
        return TokenUsage(read, written, self._model, min(read, cached or _tokens(reported, "prompt_cache_hit_tokens")))

    def _failed(
        self, happened: str, usage: TokenUsage, *, has_begun: bool, is_of_prompt: bool = False
    ) -> ModelInterrupted | ModelUnavailable:
        message = self._reason(happened)
        if has_begun:
            return ModelInterrupted(message)
        spent = (usage.prompt_tokens, usage.completion_tokens)
        return ModelUnavailable(message, is_of_prompt=is_of_prompt, spent=spent)

    def _reason(self, happened: str) -> str:
        return f"The model {self._model} at {self._client.base_url.host} {happened}."


def _read(response: httpx2.Response) -> Callable[[], Awaitable[bytes]]:
    """A function that returns the next bytes of the body, b"" at the end. Unless the body is encoded, it bypasses the
    layers of httpx2 that decode and split."""
    if READ in response.extensions and "content-encoding" not in response.headers:
        return cast(Callable[[], Awaitable[bytes]], response.extensions[READ])
    reads = response.aiter_bytes()
    return lambda: anext(reads, b"")


def _azure_key(base_url: str, api_key: str | None) -> dict[str, str | Omit]:
    if not api_key or "api-version" not in dict(parse_qsl(urlsplit(base_url).query)):
        return {}
    return {"api-key": api_key, "Authorization": Omit()}


def _is_proxied(base_url: str) -> bool:
    """Whether the environment's proxy variables (HTTPS_PROXY, NO_PROXY ...) apply to the address."""
    address = urlsplit(base_url)
    proxies = getproxies()
    return bool({address.scheme, "all"} & proxies.keys()) and not proxy_bypass(address.netloc)


class _NoRoom(Exception):
    """The length was used up before the first word."""

    def __init__(self, usage: TokenUsage) -> None:
        super().__init__()
        self.usage = usage


class _Filtered(Exception):
    """The provider's filter refused the prompt."""


async def _only(end: ChatEnd) -> AsyncGenerator[ChatItem, None]:
    yield end


def _tokens(reported: Any, *path: str) -> int:
    """A reported number of tokens; 0 for what cannot be one, which is then estimated."""
    for name in path:
        reported = reported.get(name) if isinstance(reported, dict) else None
    return int(reported) if isinstance(reported, int | float) and 0 < reported <= _MOST_TOKENS else 0


def _finish(reason: str) -> Finish | None:
    """None if the answer is not whole. Some providers add what they filtered after a colon."""
    return _FINISHES.get(reason.partition(":")[0].strip().casefold(), None) if reason else Finish.COMPLETE


def _why_empty(finish: str) -> str:
    if finish != "length":
        return "gave an empty answer"
    return (
        "used its whole length up before its first word, as models do that reason: raise the setting for reasoning "
        "tokens, or lower the reasoning effort"
    )


async def _last(read: Callable[[], Awaitable[bytes]]) -> bytes:
    """Read a little longer after the finish: some servers then report usage, some keep the connection open, and some
    break it off."""
    with anyio.move_on_after(_USAGE_SECONDS), suppress(*OPENAI_ERRORS):
        return await read()
    return b""


async def _read_rest(read: Callable[[], Awaitable[bytes]]) -> None:
    with anyio.move_on_after(_REST_SECONDS), suppress(*OPENAI_ERRORS):
        while await read():
            pass
