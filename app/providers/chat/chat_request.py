"""What a completion is asked with: the messages, and the fields that they need beside them."""

from collections.abc import Sequence
from typing import Any, cast

from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
)

from app.core.text.encodable_text import encodable
from app.providers.chat.chat_model import ChatMessage


def fields_beside(messages: Sequence[ChatMessage]) -> dict[str, Any]:
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
