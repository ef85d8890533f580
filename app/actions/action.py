"""An action: the HTTP call that it makes, its arguments, and the part of the response that is read."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_line
from app.core.setting import at_most, between, check_limits, required
from app.core.tool_arguments import check_parameters
from app.core.webhook_event import Event, NoticeText, WebhookEvent

MAX_NAME_CHARS: Final = 40
MAX_VALUE_CHARS: Final = 500
MAX_HEADERS: Final = 10
MAX_HEADER_CHARS: Final = 2000
RESULT_PLACE: Final = "result"

ACTION_LIMIT_NEAR: Final = Event(
    WebhookEvent("action.limit_near"),
    "four fifths of an action's daily calls are made",
    120,
    ("action_id", "daily_calls"),
    NoticeText(
        "an action is nearly used up",
        '"{agent}" has made four fifths of the {daily_calls} calls that its action "{title}" may make in 24 hours. '
        "When all are made, visitors are answered without it.",
        "{pages}/actions/{action_id}",
        "See the action",
    ),
)

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ARGUMENT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_PLACE: Final = re.compile(r"\{([^{}]*+)\}")
_OF_VISITOR: Final = re.compile(r"\{\{\s*+visitor\.([A-Za-z0-9_.-]{1,64}+)\s*+\}\}")
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_OURS: Final = frozenset(
    {
        *("accept-encoding", "connection", "content-length", "content-type", "expect"),
        *("host", "idempotency-key", "te", "trailer", "transfer-encoding", "upgrade"),
    }
)


class ActionMethod(StrEnum):
    """A POST may merely look something up, with a query in its body; PUT, PATCH and DELETE always change something."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"

    @property
    def has_body(self) -> bool:
        return self not in (ActionMethod.GET, ActionMethod.DELETE)


@dataclass(frozen=True, slots=True)
class Action:
    """Each {argument} in `url` is replaced by its value; the other arguments go into the query of a GET, or into the
    JSON body of a POST. `result_path` "" is all of the response. `header_names` are those of the headers, whose values
    are stored sealed. `revision` counts how often the action was saved.
    """

    id: UUID
    agent_id: UUID
    name: Annotated[
        str, required(MAX_NAME_CHARS), "The name by which the model calls the action, such as order_status."
    ]
    title: Annotated[str, required(80), "The name that visitors see."]
    description: Annotated[str, required(1000, rows=4), "Tells the model when to call the action."]
    url: Annotated[
        str,
        required(2000),
        "On a host of DOCENT_ACTION_HOSTS. {argument} is replaced by an argument's value, in the path and the query "
        "only.",
    ]
    method: Annotated[ActionMethod, "PUT, PATCH and DELETE are for actions that change something."] = ActionMethod.GET
    parameters: Annotated[
        Mapping[str, Any],
        "JSON Schema of the arguments that the model gives: an object whose properties are plain values.",
    ] = field(default_factory=lambda: MappingProxyType({}))
    fixed: Annotated[
        Mapping[str, str],
        at_most(10),
        "Arguments that the model never sees: strings, or {{visitor.id}} and {{visitor.NAME}}, which the website has "
        "signed. Visitors without these signed values are not offered the action.",
    ] = field(default_factory=lambda: MappingProxyType({}))
    result_path: Annotated[
        str, at_most(200), "The part of a JSON response that the model gets, such as order.0.id."
    ] = ""
    max_result_chars: Annotated[int, between(1, 8000)] = 2000
    timeout_seconds: Annotated[int, between(1, 10)] = 5
    daily_calls: Annotated[
        int, between(1, 1_000_000), "Maximum calls in any 24 hours, of which one network or API token gets a quarter."
    ] = 1000
    is_on: bool = True
    changes: Annotated[
        bool, "Whether the action changes something. If so, the visitor is first asked to confirm the summary."
    ] = False
    summary: Annotated[
        str,
        at_most(300, rows=2),
        "What the visitor is asked to confirm, such as: Cancel order {order}? {argument} is replaced by a required "
        "parameter.",
    ] = ""
    done_text: Annotated[
        str, at_most(300, rows=2), "What the visitor is told afterwards. {result} is replaced by the result."
    ] = ""
    header_names: tuple[str, ...] = ()
    revision: int = 1

    @property
    def host(self) -> str:
        """The host, in lower case."""
        return urlsplit(self.url).hostname or ""

    @property
    def server(self) -> str:
        """Scheme, host and port: where the secret headers are sent."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}".lower()

    @property
    def places(self) -> frozenset[str]:
        """The names of the arguments in the URL."""
        return frozenset(_PLACE.findall(self.url))


@dataclass(frozen=True, slots=True)
class ActionHosts:
    """The hosts that actions of this installation may call; "*.example.com" is every host below example.com. `refusal`
    returns why a URL can never be called, "" if it can."""

    names: tuple[str, ...] = ()
    refusal: Callable[[str], str] = field(default=lambda url: "", repr=False)

    def allow(self, host: str) -> bool:
        return any(host == name or (name.startswith("*.") and host.endswith(name[1:])) for name in self.names)


def visitor_fact(value: str) -> str | None:
    """The name of the signed fact about the visitor that a fixed value refers to, such as "id"; None for plain text."""
    found = _OF_VISITOR.fullmatch(value.strip())
    return found[1] if found else None


def check_action(action: Action, hosts: ActionHosts) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    if not _NAME.fullmatch(action.name):
        raise InvalidInput("name", "Use lower-case letters, digits and _, beginning with a letter: order_status.")
    check_limits("", action)
    known = check_parameters(action.parameters)
    _check_fixed(action.fixed, known)
    _check_address(action, hosts)
    _check_change(action, known)


def filled_template(template: str, values: Mapping[str, str]) -> str:
    """Replace each placeholder once; a value cannot add placeholders."""
    return _PLACE.sub(lambda place: values.get(place[1], ""), template)


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises InvalidInput, whose text contains no value, because values are secret."""
    if len(headers) > MAX_HEADERS:
        raise InvalidInput("headers", f"There are {len(headers)} headers. Use at most {MAX_HEADERS}.")
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _OURS:
            raise InvalidInput("headers", "Use others, such as X-Api-Key. Docent sets the headers of HTTP.")
        if not 1 <= len(value) <= MAX_HEADER_CHARS or not (value.isascii() and value.isprintable()):
            raise InvalidInput("headers", f"Enter the value of {name} in ASCII, on one line.")
    if len({name.lower() for name in headers}) < len(headers):
        raise InvalidInput("headers", "Use each header once.")


def _check_fixed(fixed: Mapping[str, str], known: Collection[str]) -> None:
    for name, value in fixed.items():
        if not _ARGUMENT.fullmatch(name):
            raise InvalidInput("fixed", "Use letters, digits and _, starting with a letter.")
        if name in known:
            raise InvalidInput("fixed", f"{name} is also a parameter. Remove it from the parameters.")
        check_line(f"fixed.{name}", value, MAX_VALUE_CHARS)
        if visitor_fact(value) is None and "{{" in value:
            raise InvalidInput("fixed", "Enter a text, or only {{visitor.id}} or {{visitor.NAME}}.")


def _check_change(action: Action, known: Collection[str]) -> None:
    if not action.changes:
        if action.method not in (ActionMethod.GET, ActionMethod.POST):
            raise InvalidInput("changes", f"A {action.method} makes a change. Turn this on: visitors then confirm it.")
        for field, text in (("summary", action.summary), ("done_text", action.done_text)):
            if text:
                raise InvalidInput(field, "Only actions that make a change are confirmed. Leave this blank.")
        return
    if action.method is ActionMethod.GET:
        raise InvalidInput("changes", "A GET may be repeated in transit. Use POST, PUT, PATCH or DELETE.")
    if RESULT_PLACE in known:
        raise InvalidInput("parameters", "{result} is reserved for the response. Rename the parameter.")
    if not action.summary.strip():
        raise InvalidInput("summary", "This cannot be empty. Enter at least one character.")
    always = set(action.parameters.get("required", ()))
    _check_places("summary", action.summary, always)
    _check_places("done_text", action.done_text, {*always, RESULT_PLACE})


def _check_places(field: str, template: str, known: Collection[str]) -> None:
    bare = _PLACE.sub("", template)
    if "{" in bare or "}" in bare:
        raise InvalidInput(field, "Put each argument in single braces, such as {order}.")
    for name in _PLACE.findall(template):
        if name not in known:
            raise InvalidInput(
                field, f"{{{name}}} is not a required parameter. Only required parameters can be used here."
            )


def _check_address(action: Action, hosts: ActionHosts) -> None:
    bare = _PLACE.sub("", action.url)
    if "{" in bare or "}" in bare or "#" in bare:
        raise InvalidInput("url", "Put each argument in single braces, such as {order}, and no fragment.")
    check_http_url("url", bare)
    server = action.url.split("://", 1)[1].split("/", 1)[0].split("?", 1)[0]
    if "{" in server:
        raise InvalidInput("url", "Arguments belong in the path and the query; the host is fixed.")
    if not hosts.allow(action.host):
        raise InvalidInput(
            "url",
            "This installation does not allow calls to that host. Its administrator can add it to DOCENT_ACTION_HOSTS.",
        )
    if refusal := hosts.refusal(bare):
        raise InvalidInput("url", f"Nothing can be called at this address: {refusal}.")
    always = {*action.parameters.get("required", ()), *action.fixed}
    for name in sorted(action.places):
        if name not in always:
            raise InvalidInput("url", f"{{{name}}} is neither a required parameter nor a fixed value.")
