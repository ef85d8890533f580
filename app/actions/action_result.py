"""Reads the part of a response that the operator allows; its text is untrusted."""

import json
from collections.abc import Iterator
from typing import Any, Final

from app.core.text.untrusted_text import without_controls

_MAX_DEPTH: Final = 20


class NoResult(Exception):
    """The response has nothing to read; `str(error)` is the reason, without any of its text."""


def result_text(body: bytes, path: str, max_chars: int) -> str:
    """The response in lines: JSON as "order.status: shipped", anything else as it is; cut at the end of a line or word.
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
    """One line per value, without null, empty and too deeply nested ones."""
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
