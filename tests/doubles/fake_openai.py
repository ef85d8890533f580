"""An OpenAI-compatible server on a live socket, which answers as it was told and remembers what it was asked."""

import asyncio
import base64
import json
import struct
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True)
class Say:
    """A whole answer, a token every `pace_seconds`. `finish` None and `usage` None leave those out, as careless
    servers do."""

    tokens: Sequence[str]
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (12, 3)
    pace_seconds: float = 0


@dataclass(frozen=True)
class Refuse:
    """An answer that is an error, such as 429 with `retry-after-ms`."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "no", "type": "refused", "code": None})


@dataclass(frozen=True)
class Tear:
    """Some tokens, perhaps an end, then the connection breaks."""

    tokens: Sequence[str]
    finish: str = ""


@dataclass(frozen=True)
class Stall:
    """Some tokens, perhaps an end, then silence until the client goes away."""

    tokens: Sequence[str]
    finish: str = ""


@dataclass(frozen=True)
class Pause:
    """Some tokens, then nothing until `go_on`, then the rest."""

    tokens: Sequence[str]
    rest: Sequence[str]


@dataclass(frozen=True)
class Complain:
    """Some tokens, then an error object in the stream."""

    tokens: Sequence[str]


@dataclass(frozen=True)
class Babble:
    """Some tokens, then a line that is no JSON, or JSON of another kind."""

    tokens: Sequence[str]
    line: str = "{oops"


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, each chunk one network read; the last one comes `repeat_last` times more, every
    `pace_seconds`."""

    chunks: Sequence[bytes]
    repeat_last: int = 0
    pace_seconds: float = 0


@dataclass(frozen=True)
class Wire:
    """A response as a server sent it."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})


Answer = Say | Refuse | Tear | Stall | Pause | Complain | Babble | Raw | Wire


@dataclass(frozen=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Any


class FakeOpenAI:
    """Chat answers are played in order, the last one ever after. Embeddings are as long as asked (else `dimensions`):
    the vector of a text points to its number of characters, and is not of length 1."""

    def __init__(self) -> None:
        self._answers: list[Answer] = [Say(["Hello."])]
        self._played = 0
        self._was_closed = threading.Event()
        self._may_go_on = threading.Event()
        self.asked: list[Asked] = []
        self.refused_fields: frozenset[str] = frozenset()  # of a chat request: 400, as OpenAI words it
        self.knows_base64 = True
        self.dimensions = 4
        self.embeddings: Response | None = None  # instead of vectors
        self.url = ""
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embed, methods=["POST"]),
            ]
        )

    def plays(self, *answers: Answer) -> None:
        """From now on; what was asked before is forgotten."""
        self._answers, self._played = list(answers) or [Say(["Hello."])], 0
        self._was_closed.clear()
        self._may_go_on.clear()
        self.asked.clear()
        self.knows_base64, self.embeddings, self.refused_fields = True, None, frozenset()

    def go_on(self) -> None:
        """Let every paused answer, and those to come, say the rest."""
        self._may_go_on.set()

    async def until_closed(self) -> None:
        """Wait until a client went away from a stalled answer."""
        assert await asyncio.to_thread(self.was_closed, 120)

    def was_closed(self, within_seconds: float) -> bool:
        """Whether a client goes away from a stalled answer in time."""
        return self._was_closed.wait(within_seconds)

    @contextmanager
    def running(self) -> Iterator["FakeOpenAI"]:
        config = uvicorn.Config(self.app, host="127.0.0.1", port=0, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.005)
            assert thread.is_alive(), "the fake server did not start"
        port = server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        try:
            yield self
        finally:
            self.go_on()
            server.should_exit = True
            thread.join(60)

    async def _chat(self, request: Request) -> Response:
        for refused in sorted(self.refused_fields & set(await self._remember(request))):
            message = f"Unsupported parameter: '{refused}' is not supported with this model."
            error = {
                "message": message,
                "type": "invalid_request_error",
                "param": refused,
                "code": "unsupported_parameter",
            }
            return JSONResponse({"error": error}, 400)
        answer = self._answers[min(self._played, len(self._answers) - 1)]
        self._played += 1
        if isinstance(answer, Refuse):
            return JSONResponse({"error": dict(answer.error)}, answer.status, dict(answer.headers))
        if isinstance(answer, Wire):
            return Response(answer.body, answer.status, dict(answer.headers))
        if isinstance(answer, Raw):
            return StreamingResponse(_raw(answer), media_type="text/event-stream")
        return _Played(answer, self._was_closed, self._may_go_on)

    async def _embed(self, request: Request) -> Response:
        body = await self._remember(request)
        if self.embeddings is not None:
            return self.embeddings
        size, texts = body.get("dimensions", self.dimensions), body["input"]
        vectors = [[float(len(text)), 3.0, *([0.5] * (size - 2))] for text in texts]
        is_base64 = body.get("encoding_format") == "base64" and self.knows_base64
        data = [
            {"object": "embedding", "index": number, "embedding": _base64(vector) if is_base64 else vector}
            for number, vector in enumerate(vectors)
        ]
        return JSONResponse({"object": "list", "model": "fake", "data": data[::-1], "usage": {}})

    async def _remember(self, request: Request) -> Any:
        body = await request.json()
        self.asked.append(Asked(request.url.path, dict(request.headers), body))
        return body


class _Played(Response):
    """One streamed answer, frame by frame."""

    def __init__(
        self,
        answer: Say | Tear | Stall | Pause | Complain | Babble,
        was_closed: threading.Event,
        may_go_on: threading.Event,
    ) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self._answer = answer
        self._was_closed = was_closed
        self._may_go_on = may_go_on

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        pace_seconds = self._answer.pace_seconds if isinstance(self._answer, Say) else 0
        for number, token in enumerate(self._answer.tokens):
            await asyncio.sleep(pace_seconds)
            role = {"role": "assistant"} if number == 0 else {}
            await self._say(send, _chunk({**role, "content": token}))
        match self._answer:
            case Say(finish=finish, usage=usage):
                await self._end(send, finish, usage)
            case Pause(_, rest):
                await asyncio.to_thread(self._may_go_on.wait)
                for token in rest:
                    await self._say(send, _chunk({"content": token}))
                await self._end(send, "stop", (12, 3))
            case Stall(finish=finish):
                if finish:
                    await self._say(send, _chunk({}, finish))
                while (await receive())["type"] != "http.disconnect":
                    pass
                self._was_closed.set()
            case Tear(finish=finish):
                if finish:
                    await self._say(send, _chunk({}, finish))
                raise ConnectionResetError  # uvicorn then drops the connection in the middle of the body
            case Complain():
                await self._say(send, json.dumps({"error": {"message": "overloaded", "type": "server_error"}}))
                await send({"type": "http.response.body", "body": b""})
            case Babble(_, line):
                await self._say(send, line)
                await send({"type": "http.response.body", "body": b""})

    async def _end(self, send: Send, finish: str | None, usage: tuple[int, int] | None) -> None:
        if finish is not None:
            await self._say(send, _chunk({}, finish))
        if usage is not None:
            await self._say(send, _usage(*usage))
        await self._say(send, "[DONE]")
        await send({"type": "http.response.body", "body": b""})

    async def _say(self, send: Send, data: str) -> None:
        await send({"type": "http.response.body", "body": f"data: {data}\n\n".encode(), "more_body": True})


async def _raw(answer: Raw) -> AsyncIterator[bytes]:
    for chunk in answer.chunks:
        yield chunk
    for _ in range(answer.repeat_last):
        await asyncio.sleep(answer.pace_seconds)
        yield answer.chunks[-1]


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> str:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return json.dumps({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices})


def _usage(prompt: int, completion: int) -> str:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage}
    return json.dumps(chunk)


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
