"""Builds the HTTP request of an action, or the change for the visitor to confirm, and reads the allowed part of the
response. Only the operator chooses host and path. The response is untrusted.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from app.actions.action import Action, filled_template
from app.core.confirmation import ProposedChange, ShownValue
from app.core.text.untrusted_text import without_controls
from app.core.tool_arguments import WrongArguments

_PLACE: Final = re.compile(r"\{([^{}]*+)\}")
_ACCEPTED: Final = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.5"}
_JSON: Final = {"Content-Type": "application/json"}
_SEPARATORS: Final = frozenset("/\\%")  # some servers and proxies decode twice, or read \ as /
_MAX_URL_CHARS: Final = 4000
_JOINERS: Final = "\u200c\u200d"  # invisible, but needed for letters of some scripts and for emoji
_UNSEEN: Final = frozenset({"Cf", "Zl", "Zp", "Co", "Cn"})


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """`headers` may contain secrets."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = None


def request_of(action: Action, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> ActionRequest:
    """`arguments` are checked, and include the fixed values. Raises WrongArguments for a value that would change the
    path."""
    path, _, query = action.url.partition("?")
    filled = _PLACE.sub(lambda found: _in_path(found[1], arguments), path)
    terms = [_PLACE.sub(lambda found: _in_query(found[1], arguments), query)] if query else []
    rest = {name: value for name, value in arguments.items() if name not in action.places}
    body = None
    if not action.method.has_body:
        terms += [f"{name}={_in_query(name, rest)}" for name in sorted(rest)]
    else:
        body = json.dumps(rest, ensure_ascii=False).encode()
    url = "?".join([filled, "&".join(terms)]) if terms else filled
    if len(url) > _MAX_URL_CHARS:
        raise WrongArguments("the address would be too long")
    return ActionRequest(action.method.value, url, sent_headers(headers, body), body)


def sent_headers(headers: Mapping[str, str], body: bytes | None) -> dict[str, str]:
    """The operator's headers, with our own."""
    return {**_ACCEPTED, **headers, **({} if body is None else _JSON)}


def _in_path(name: str, arguments: Mapping[str, Any]) -> str:
    text = _text(arguments[name])
    if not text.strip(". ") or _SEPARATORS & set(text):
        raise WrongArguments(f"{name}: this cannot stand in a path")
    return quote(_plain(name, text), safe="")


def _in_query(name: str, arguments: Mapping[str, Any]) -> str:
    return quote(_plain(name, _text(arguments[name])), safe="")


def _plain(name: str, text: str) -> str:
    if any(unicodedata.category(each) in ("Cc", "Cs") for each in text):
        raise WrongArguments(f"{name}: control characters or broken ones")
    return text


def _text(value: Any) -> str:
    """The value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def proposed_change(action: Action, arguments: Mapping[str, Any], fixed: Mapping[str, str]) -> ProposedChange:
    """`arguments` are checked. Raises WrongArguments for a value that cannot be sent, or whose characters the visitor
    could not see, because nobody can confirm what they cannot see."""
    for name, value in arguments.items():
        if isinstance(value, str) and not _is_seen(value):
            raise WrongArguments(f"{name}: characters that nobody sees")
    request = request_of(action, {**arguments, **fixed}, {})
    labels = {name: schema.get("title") or name for name, schema in action.parameters.get("properties", {}).items()}
    shown = tuple(ShownValue(name, labels[name], _text(value)) for name, value in arguments.items())
    return ProposedChange(
        id=uuid4(),
        action_id=action.id,
        revision=action.revision,
        action=action.name,
        title=action.title,
        summary=filled_template(action.summary, {each.name: each.value for each in shown}),
        shown=shown,
        method=request.method,
        url=request.url,
        body=None if request.body is None else request.body.decode(),
    )


def _is_seen(text: str) -> bool:
    """Whether the text has no marks that change its direction, and no invisible characters except joiners."""
    return not any(unicodedata.category(each) in _UNSEEN and each not in _JOINERS for each in text)


_MAX_DEPTH: Final = 20


class NoResult(Exception):
    """The response has nothing to read; `str(error)` is the reason, without text of the response."""


def result_text(body: bytes, path: str, max_chars: int) -> str:
    """The response as text, at most `max_chars`, cut at the end of a line or word. JSON becomes lines such as
    "order.status: shipped". `path` selects a part of JSON by names and positions from 0, such as "items.0.name". Raises
    NoResult."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        if path:
            raise NoResult("the reply is not JSON") from error
    else:
        text = "\n".join(_lines("", _at(value, path), 0))
    text = without_controls(text).strip()
    if not text:
        raise NoResult("the reply is empty")
    return _cut(text, max_chars)


def _at(value: Any, path: str) -> Any:
    for step in path.split(".") if path else ():
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(value):
            value = value[int(step[:9])]
        else:
            raise NoResult("the reply has no such part")
    return value


def _lines(name: str, value: Any, depth: int) -> Iterator[str]:
    """One line per value, without null, empty and too deeply nested ones."""
    if isinstance(value, dict | list):
        if depth == _MAX_DEPTH:
            return
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _lines(f"{name}.{key}" if name else str(key), each, depth + 1)
    elif value not in (None, ""):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name}: {text}" if name else text


def _cut(text: str, max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    cut = text[:max_chars]
    for end in ("\n", " "):
        if end in cut[max_chars // 2 :]:
            return cut.rsplit(end, 1)[0].rstrip()
    return cut
