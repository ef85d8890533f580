"""What of a reply is read: text that strangers wrote, and never more than the operator allows."""

import json
from collections.abc import Iterator
from typing import Any, Final

from app.core.text.untrusted_text import without_controls

_MAX_DEPTH: Final = 20


class NoResult(Exception):
    """The reply holds nothing that can be read; `str(error)` says why and repeats nothing of it."""


def result_text(body: bytes, path: str, max_chars: int) -> str:
    """The reply in lines: JSON as "order.status: shipped", another one as it stands; cut at a line's or a word's end.
    `path` leads into JSON by names and by positions from 0 ("items.0.name"). Raises NoResult."""
    text = body.decode("utf-8", "replace")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        if path:
            raise NoResult("the reply is not JSON") from error
    else:
        text = "\n".join(_lines("", _at(told, path), 0))
    text = without_controls(text).strip()
    if not text:
        raise NoResult("the reply is empty")
    return _cut(text, max_chars)


def _at(told: Any, path: str) -> Any:
    for step in path.split(".") if path else ():
        if isinstance(told, dict) and step in told:
            told = told[step]
        elif isinstance(told, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(told):
            told = told[int(step[:9])]
        else:
            raise NoResult("the reply has no such part")
    return told


def _lines(name: str, value: Any, depth: int) -> Iterator[str]:
    """A line a value; what is null or empty says nothing, and neither does what lies too deep."""
    if isinstance(value, dict | list):
        if depth == _MAX_DEPTH:
            return
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _lines(f"{name}.{key}" if name else str(key), each, depth + 1)
    elif value not in (None, ""):
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name}: {said}" if name else said


def _cut(text: str, max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    cut = text[:max_chars]
    for end in ("\n", " "):
        if end in cut[max_chars // 2 :]:
            return cut.rsplit(end, 1)[0].rstrip()
    return cut
