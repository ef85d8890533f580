"""What is too much, or no JSON of ours, is refused before anybody pays for it: no turn, and no call of the model."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.doubles.fake_openai import FakeOpenAI, Say
from tests.system.conftest import SITE, Running, Visitor

QUESTION = "How long is the warranty of a lamp?"
Content = bytes | Callable[[], Any]


def a_body(**change: object) -> bytes:
    return json.dumps({"turn_id": str(uuid4()), "message": QUESTION, "page_url": f"{SITE}/", **change}).encode()


def spliced(member: bytes) -> bytes:
    return a_body()[:-1] + b", " + member + b"}"


async def chunked(size: int) -> Any:
    for _ in range(size // 8192 + 1):
        yield b" " * 8192


TOO_MUCH: dict[str, tuple[int, Content]] = {
    "a body of a megabyte": (413, a_body(page_context={"text": "x" * 2**20})),
    "one that hides its length": (413, lambda: chunked(2**20)),
    "a message of 4,001 characters": (422, a_body(message="x" * 4001)),
    "one of blanks": (422, a_body(message=" \n\t ")),
    "a page context of 8,193 bytes": (422, a_body(page_context={"text": "x" * 8193})),
    "one of 8,194 bytes in 4,097 characters": (422, a_body(page_context={"text": "\u00e9" * 4097})),
    "depth 33": (422, spliced(b'"page_context": {"json_ld": ' + b"[" * 33 + b"]" * 33 + b"}")),
    "depth 12,000": (400, spliced(b'"page_context": {"json_ld": ' + b"[" * 12_000 + b"]" * 12_000 + b"}")),
    "NaN": (400, spliced(b'"page_context": NaN')),
    "Infinity": (400, spliced(b'"page_context": -Infinity')),
    "a key that stands twice": (400, spliced(b'"message": "another"')),
    "half a character": (422, a_body().replace(b"How", b"\\ud800")),
    "NUL": (422, a_body(message="a\0b")),
    "bytes that are no UTF-8": (400, a_body().replace(b"How", b"H\xffw")),
    "UTF-16": (400, a_body().decode().encode("utf-16")),
}


@pytest.mark.parametrize("streaming", ["/stream", ""], ids=["streamed", "whole"])
async def test_it_is_refused_and_the_model_is_not_asked(running: Running, provider: FakeOpenAI, streaming: str) -> None:
    visitor = await running.visitor()
    provider.plays(Say(["3 years [1]."]))
    seen = {}
    for name, (_, content) in TOO_MUCH.items():
        seen[name] = await status_of(visitor, streaming, content)
    assert seen == {name: status for name, (status, _) in TOO_MUCH.items()}
    assert provider.asked == []
    assert running.rows("SELECT count(*) FROM turns") == [(0,)]
    assert await status_of(visitor, streaming, a_body()) == 200
    assert len(provider.asked) == 1


async def test_a_charset_of_another_kind_is_refused(running: Running, provider: FakeOpenAI) -> None:
    visitor = await running.visitor()
    for kind in ("application/json; charset=utf-16", "application/json; charset=latin-1", "text/plain"):
        assert await status_of(visitor, "", a_body(), kind) == 415
    assert provider.asked == []


async def status_of(visitor: Visitor, streaming: str, content: Content, kind: str = "application/json") -> int:
    headers = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE, "Content-Type": kind}
    sent = content() if callable(content) else content
    answer = await visitor.http.post(f"/v1/widget/messages{streaming}", content=sent, headers=headers)
    return answer.status_code
