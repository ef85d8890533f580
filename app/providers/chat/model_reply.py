"""A short reply of the chat model, for our own use: no visitor reads it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.core.errors import ModelUnavailable
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatModel, TextDelta


async def model_reply(
    model: ChatModel, messages: Sequence[ChatMessage], *, max_tokens: int, budget_seconds: float
) -> str:
    """The whole text. Raises ModelUnavailable or ModelInterrupted, the former also when the budget runs out or nothing
    was written because of a filter."""
    said, why = "", ""
    try:
        async with asyncio.timeout(budget_seconds), model.stream(messages, max_tokens=max_tokens) as stream:
            async for item in stream:
                if isinstance(item, TextDelta):
                    said += item.text
                elif isinstance(item, ChatEnd):
                    why = item.why
    except TimeoutError as error:
        message = f"The chat model took longer for a short reply than its budget of {budget_seconds:g} s."
        raise ModelUnavailable(message) from error
    if why and not said:
        raise ModelUnavailable(why, is_of_prompt=True)
    return said


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """For `ChatMessage.reply_schema`."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def json_object_in(reply: str) -> dict[str, Any]:
    """The JSON object in the reply, which some models wrap in a fence or a sentence. Raises ValueError."""
    start, end = reply.find("{"), reply.rfind("}")
    if not 0 <= start < end:
        raise ValueError("the model's reply contains no JSON object")
    found = json.loads(reply[start : end + 1])
    if not isinstance(found, dict):
        raise ValueError("the model's reply is not a JSON object")
    return found
