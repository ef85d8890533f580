"""Collects the tool calls that a model writes in a stream, of which each piece names its call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.providers.chat.chat_model import ToolCall

_MOST_CALLS: Final = 16
_MOST_CHARS: Final = 20_000  # in the arguments of one call


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
