"""Builds the request of a chat completion, and learns from an endpoint's refusals which fields it accepts."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar, cast

import structlog
from openai import APIStatusError
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
)

from app.core.text.letter_forms import encodable
from app.providers.chat.chat_model import ChatMessage
from app.providers.openai_errors import is_of_prompt, known_cause, refused_field


def fields_beside(messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """The request fields that the messages require besides themselves: the reply's schema and the tools."""
    schema = next((message.reply_schema for message in messages if message.reply_schema is not None), None)
    tools = [tool for message in messages for tool in message.tools]
    beside: dict[str, Any] = {}
    if schema is not None:
        json_schema = {"name": "reply", "strict": True, "schema": dict(schema)}
        beside["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    if tools:
        beside["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in tools
        ]
    return beside


def as_param(message: ChatMessage, has_cache_control: bool) -> ChatCompletionMessageParam:
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


log = structlog.get_logger(__name__)

LengthField = Literal["max_tokens", "max_completion_tokens"]
Answer = TypeVar("Answer")

_OLDER: Final[LengthField] = "max_tokens"
_NEWER: Final[LengthField] = "max_completion_tokens"
_REFUSED: Final = frozenset({400, 422})  # the statuses for a field that a server does not accept
_OPTIONAL: Final = frozenset(
    {"temperature", "reasoning_effort", "stream", "stream_options", "response_format", "tools"}
)
_GUESSED: Final = frozenset({"response_format", "tools"})  # tried without if a refusal names no field


class TakenFields:
    """Sends requests to one endpoint with the fields that it accepts.

    `max_tokens` is sent first: most servers know only this one, and some silently ignore fields that they do not know;
    OpenAI's newer models refuse it. If a refusal names an optional field or the length field, the request is repeated
    without it or with the other length field. If it names none, the request is repeated with the other length field,
    without tools and reply schema, and with both changes. What is accepted is remembered.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._length: LengthField | None = None  # until the endpoint has accepted one
        self.refused: frozenset[str] = frozenset()

    async def ask(
        self,
        fields: Mapping[str, Any],
        lengths: Mapping[LengthField, int],
        post: Callable[[dict[str, Any]], Awaitable[Answer]],
    ) -> Answer:
        """Call `post` with the body until it is accepted; return its result. Raises what `post` raises: of several
        refusals, the one that names the actual problem."""
        without: frozenset[str] = frozenset()
        named: frozenset[str] = frozenset()
        tried: set[frozenset[str]] = set()
        refusal: APIStatusError | None = None
        while True:
            tried.add(without)
            try:
                answer = await post(self._body(fields, lengths, without))
            except APIStatusError as error:
                field = refused_field(error)
                if error.status_code not in _REFUSED or is_of_prompt(error) or known_cause(error):
                    raise
                if refusal is not None and field == _NEWER:
                    raise refusal from error
                refusal = error
                if field in self._changeable(fields, without):
                    named |= {field}
                    without |= {field}
                elif field:
                    raise
                else:
                    guess = next((each | named for each in self._guesses(fields) if each | named not in tried), None)
                    if guess is None:
                        raise
                    without = guess
                continue
            self._remember(without)
            return answer

    def _body(
        self, fields: Mapping[str, Any], lengths: Mapping[LengthField, int], without: frozenset[str]
    ) -> dict[str, Any]:
        length = self._length or (_NEWER if _OLDER in without else _OLDER)
        left_out = without | self.refused
        if "stream" in left_out:
            left_out |= {"stream_options"}
        return {name: value for name, value in fields.items() if name not in left_out} | {length: lengths[length]}

    def _changeable(self, fields: Mapping[str, Any], without: frozenset[str]) -> frozenset[str]:
        optional = _OPTIONAL & fields.keys()
        return (optional if self._length else optional | {_OLDER}) - without - self.refused

    def _guesses(self, fields: Mapping[str, Any]) -> Iterator[frozenset[str]]:
        beside = _GUESSED & fields.keys() - self.refused
        if not self._length:
            yield frozenset({_OLDER})
        if beside:
            yield beside
            if not self._length:
                yield beside | {_OLDER}

    def _remember(self, without: frozenset[str]) -> None:
        self._length = self._length or (_NEWER if _OLDER in without else _OLDER)
        if refused := without - {_OLDER}:
            self.refused |= refused
            log.warning("model.field_refused", model=self._model, fields=sorted(refused))
