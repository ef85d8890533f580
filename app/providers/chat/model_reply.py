"""Short replies of the chat model that Docent itself reads; no visitor does."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from app.core.errors import ModelUnavailable
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatModel, TextDelta

if TYPE_CHECKING:
    from app.providers.chat.openai_chat_model import OpenAIChatModel

WARM_UP: Final = (ChatMessage("user", "Reply with the single word: ready"),)
_PROBE_SECONDS: Final = 30.0
_PROBE_TOKENS: Final = 600  # as for a visitor's answer
_SHOWN_CHARS: Final = 40
_MISSES: Final = 3
_REST_SECONDS: Final = 300.0


async def model_reply(
    model: ChatModel, messages: Sequence[ChatMessage], *, max_tokens: int, budget_seconds: float
) -> str:
    """The whole text of the model's reply. Raises ModelUnavailable or ModelInterrupted; ModelUnavailable also if the
    budget runs out, or a filter left nothing of the reply."""
    reply, why = "", ""
    try:
        async with asyncio.timeout(budget_seconds), model.stream(messages, max_tokens=max_tokens) as stream:
            async for item in stream:
                if isinstance(item, TextDelta):
                    reply += item.text
                elif isinstance(item, ChatEnd):
                    why = item.why
    except TimeoutError as error:
        message = f"The chat model took longer for a short reply than its budget of {budget_seconds:g} s."
        raise ModelUnavailable(message) from error
    if why and not reply:
        raise ModelUnavailable(why, is_of_prompt=True)
    return reply


async def readiness(model: "OpenAIChatModel") -> str:
    """The model's reply to a short question, and fields that its endpoint refuses. Raises as `model_reply`."""
    reply = await model_reply(model, WARM_UP, max_tokens=_PROBE_TOKENS, budget_seconds=_PROBE_SECONDS)
    answered = f'answered "{" ".join(reply.split())[:_SHOWN_CHARS]}"'
    refused = ", ".join(sorted(model.taken.refused))
    return f"{answered}, without {refused}, which it does not take" if refused else answered


class ShortReplies:
    """Requests a model's replies for one purpose. After three in a row that exceeded their budget, the model is not
    called for five minutes, and then tried once, so that visitors do not wait in vain."""

    def __init__(self, model: ChatModel, now: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._now = now
        self._missed = 0
        self._rests_until = 0.0

    async def ask(self, messages: Sequence[ChatMessage], *, max_tokens: int, budget_seconds: float) -> str:
        """As `model_reply`."""
        if self._now() < self._rests_until:
            raise ModelUnavailable("The chat model was too slow for this several times in a row, so it is not called.")
        try:
            reply = await model_reply(self._model, messages, max_tokens=max_tokens, budget_seconds=budget_seconds)
        except ModelUnavailable as error:
            self._missed = self._missed + 1 if isinstance(error.__cause__, TimeoutError) else 0
            if self._missed >= _MISSES:
                self._missed, self._rests_until = _MISSES - 1, self._now() + _REST_SECONDS
            raise
        self._missed = 0
        return reply


def object_schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with exactly these properties, for `ChatMessage.reply_schema`."""
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
