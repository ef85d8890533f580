"""A small client of our own HTTP API: what an operator's script and a visitor's widget do."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen
from uuid import uuid4

_TIMEOUT_SECONDS = 60


class ApiRefused(Exception):
    """The API said no; the message is its own."""


class ApiClient:
    """`base` is the server, `token` an API token."""

    def __init__(self, base: str, token: str) -> None:
        self.base = base
        self._headers = {"Authorization": f"Bearer {token}"}

    def is_ready(self) -> bool:
        try:
            return bool(self._call("GET", "/readyz", None, {}))
        except (ApiRefused, URLError, OSError):
            return False

    def get(self, path: str) -> Any:
        return self._call("GET", path, None, self._headers)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._call("POST", path, {} if body is None else body, self._headers)

    def open_conversation(self, agent_id: str, page_url: str, origin: str) -> str:
        """A visitor opens the widget; returns the visitor's token."""
        opened = self._call("POST", "/v1/widget/init", {"agent_id": agent_id, "page_url": page_url}, {"Origin": origin})
        token: str = opened["token"]
        return token

    def ask(self, visitor_token: str, question: str, page_url: str, origin: str) -> Iterator[dict[str, Any]]:
        """The answer's events as they come."""
        headers = {"Authorization": f"Bearer {visitor_token}", "Origin": origin, "Accept": "text/event-stream"}
        body = {"turn_id": str(uuid4()), "message": question, "page_url": page_url}
        with self._open("POST", "/v1/widget/messages/stream", body, headers) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield json.loads(line.removeprefix(b"data:"))

    def _call(self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Any:
        with self._open(method, path, body, headers) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _open(self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if data is not None else {}
        request = Request(self.base + path, data, {**headers, **kind}, method=method)  # noqa: S310 - our own address
        try:
            return urlopen(request, timeout=_TIMEOUT_SECONDS)  # noqa: S310
        except HTTPError as error:
            raise ApiRefused(_message_of(error.read()) or f"{method} {path} was answered with {error.code}.") from error


def _message_of(body: bytes) -> str:
    """What the API says of an error; "" where somebody else speaks."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""
