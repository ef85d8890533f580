"""`python -m bench.serving.client`: visitors who each ask one question, spread over a time, in a process of their own.

Reads one JSON object with the fields of `Load` from stdin; prints one with those of `Measured`.
"""

import asyncio
import json
import resource
import sys
import time
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

SITE = "https://load.example"
_OPENED_BEFOREHAND = 1000
_OPENED_AT_ONCE = 20
_OPENED_AHEAD_SECONDS = 3
_TAIL = len(b"event: token")  # too short to hold the newline before it as well, so that none counts twice


@dataclass(frozen=True, slots=True)
class Load:
    """`count` questions at even distances over `spread_seconds`; each of `questions` in turn, made unlike the others
    by a number. A stream that says nothing for `patience_seconds` counts as incomplete."""

    base: str
    agent_id: str
    questions: list[str]
    count: int
    spread_seconds: float
    patience_seconds: float = 60


@dataclass(slots=True)
class Measured:
    """Seconds: to the first token from the moment at which the question was due, and between two token frames of a
    stream. `refused` counts statuses that are not 200."""

    first_token: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    complete: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    broken: int = 0
    most_at_once: int = 0


class Stream(asyncio.Protocol):
    """Keeps when tokens came, and how the stream ended."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._head = b""
        self._tail = b""
        self.status = ""
        self.moments: list[float] = []
        self.last_seen = time.perf_counter()
        self.is_done = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.last_seen = time.perf_counter()
        if not self.status:
            self._head += data
            self.status = self._head[9:12].decode()
        seen = self._tail + data
        if b"\nevent: token" in seen:
            self.moments.append(self.last_seen)
        self.is_done |= b"\nevent: done" in seen
        self._tail = seen[-_TAIL:]

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class Visitors:
    def __init__(self, load: Load) -> None:
        self._load = load
        address = urlsplit(load.base)
        self._host, self._port = address.hostname or "", address.port or 80
        self._measured = Measured()
        self._at_once = 0

    async def ask(self) -> Measured:
        """Visitors open their conversations beforehand; where there are very many, some seconds before they ask."""
        count = self._load.count
        tokens: list[str] = [""] * count
        for start in range(0, count if count <= _OPENED_BEFOREHAND else 0, _OPENED_AT_ONCE):
            batch = range(start, min(start + _OPENED_AT_ONCE, count))
            tokens[start : batch.stop] = await asyncio.gather(*(self.token(number) for number in batch))
        began = time.perf_counter() + _OPENED_AHEAD_SECONDS
        await asyncio.gather(*(self._one(number, token, began) for number, token in enumerate(tokens)))
        return self._measured

    async def _one(self, number: int, token: str, began: float) -> None:
        load, measured = self._load, self._measured
        due = began + number * load.spread_seconds / load.count
        await asyncio.sleep(due - _OPENED_AHEAD_SECONDS - time.perf_counter())
        token = token or await self.token(number)
        await asyncio.sleep(due - time.perf_counter())
        question = f"{load.questions[number % len(load.questions)]} ({number})"
        self._at_once += 1
        measured.most_at_once = max(measured.most_at_once, self._at_once)
        stream = await self.question(number, token, question)
        self._at_once -= 1
        if stream.status != "200":
            measured.refused[stream.status] = measured.refused.get(stream.status, 0) + 1
            return
        measured.complete += stream.is_done
        measured.broken += not stream.is_done
        if stream.moments:
            measured.first_token.append(stream.moments[0] - due)
            measured.gaps += [later - sooner for sooner, later in pairwise(stream.moments)]

    async def question(self, number: int, token: str, question: str) -> Stream:
        body = {"turn_id": str(uuid4()), "message": question, "page_url": f"{SITE}/"}
        request = request_of("/v1/widget/messages/stream", body, number, token)
        transport, stream = await asyncio.get_running_loop().create_connection(
            lambda: Stream(request), self._host, self._port, local_addr=own_address(number)
        )
        try:
            while not stream.ended.done():
                await asyncio.wait([stream.ended], timeout=self._load.patience_seconds)
                if time.perf_counter() - stream.last_seen > self._load.patience_seconds:
                    break
        finally:
            transport.close()
        return stream

    async def token(self, number: int) -> str:
        reader, writer = await asyncio.open_connection(self._host, self._port, local_addr=own_address(number))
        writer.write(
            request_of("/v1/widget/init", {"agent_id": self._load.agent_id, "page_url": f"{SITE}/"}, number, "")
        )
        answer = (await reader.read()).partition(b"\r\n\r\n")[2]
        writer.close()
        assert b"token" in answer, answer
        token: str = json.loads(answer)["token"]
        return token


def own_address(number: int) -> tuple[str, int]:
    """Of loopback, for each visitor: limits count addresses, and a proxy replaces what a header says."""
    return f"127.1.{number >> 8 & 255}.{number & 255}", 0


def request_of(path: str, body: dict[str, Any], number: int, token: str) -> bytes:
    """Each visitor has an address of its own, as limits count addresses."""
    content = json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: docent.example",
        f"Origin: {SITE}",
        f"X-Forwarded-For: 10.1.{number >> 8 & 255}.{number & 255}",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
        "Connection: close",
        *([f"Authorization: Bearer {token}"] if token else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def main() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    measured = asyncio.run(Visitors(Load(**json.load(sys.stdin))).ask())
    sys.stdout.write(json.dumps(asdict(measured)) + "\n")


if __name__ == "__main__":
    main()
