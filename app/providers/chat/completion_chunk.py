"""Reads one chunk of a streamed chat completion, as endpoints write it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

_REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "reasoning_details", "thinking")


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
