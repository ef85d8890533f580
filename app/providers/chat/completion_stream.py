"""Reads the chunks of a streamed chat completion, as endpoints write them, and collects the tool calls in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.providers.chat.chat_model import ToolCall

_REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
_MOST_CALLS: Final = 16
_MOST_CHARS: Final = 20_000  # in the arguments of one call


def our_choice(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first choice of a chunk, which may contain others, in any order; {} without one."""
    choices: Sequence[Mapping[str, Any]] = chunk.get("choices") or ()
    return next((choice for choice in choices if not choice.get("index")), {})


def reported_error(chunk: Mapping[str, Any]) -> Any:
    return chunk.get("error") or our_choice(chunk).get("error") or (chunk if chunk.get("object") == "error" else None)


def whole_characters(text: str) -> tuple[str, str]:
    """Split off a surrogate at the end of the text: endpoints that count UTF-16 split emoji between two events."""
    if text.isascii():
        return text, ""
    cut = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
    whole = text[:cut].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole, text[cut:]


def has_reasoning(delta: Mapping[str, Any]) -> bool:
    """Whether the delta has reasoning, in a field of its own or in a part of the content."""
    content = delta.get("content")
    parts = content if isinstance(content, list) else ()
    return any(map(delta.get, _REASONING_FIELDS)) or any(part.get("type") == "thinking" for part in parts)


def text_of(choice: Any) -> str:
    text = (choice.get("delta") or {}).get("content") or ""
    if isinstance(text, list):  # parts, among them the reasoning of Mistral's models
        return "".join(str(part.get("text") or "") for part in text if part.get("type") == "text")
    if not isinstance(text, str):
        raise TypeError("a delta that is no text")
    return text


@dataclass(slots=True)
class _Begun:
    index: Any
    id: str
    name: str
    arguments: str = ""


class WrittenCalls:
    """Collects the tool calls of one answer: feed it every delta. A call that exceeds the bounds is dropped."""

    def __init__(self) -> None:
        self._begun: list[_Begun] = []

    def feed(self, delta: Mapping[str, Any]) -> None:
        for piece in delta.get("tool_calls") or ():
            function = piece.get("function") or {}
            call = self._call(piece.get("index"), str(piece.get("id") or ""), str(function.get("name") or ""))
            if call is not None:
                call.arguments += str(function.get("arguments") or "")[: _MOST_CHARS + 1 - len(call.arguments)]

    @property
    def whole(self) -> tuple[ToolCall, ...]:
        """The complete calls, in the order in which they began."""
        return tuple(
            ToolCall(call.name, call.arguments)
            for call in self._begun
            if call.name and len(call.arguments) <= _MOST_CHARS
        )

    def _call(self, index: Any, id_: str, name: str) -> _Begun | None:
        """The call that a piece belongs to, begun if it is new. Some endpoints give all calls the same index, or none,
        and tell them apart by id."""
        for known in reversed(self._begun):
            if known.index == index and (not id_ or known.id == id_):
                return known
        if len(self._begun) == _MOST_CALLS or not (id_ or name):
            return None
        self._begun.append(_Begun(index, id_, name))
        return self._begun[-1]
