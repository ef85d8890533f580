"""Two OpenAI-compatible providers on loopback, which do to each turn what its plan says, and count who asked them."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.nemesis.plan import FIRST, SECOND, TurnPlan

_TAG = re.compile(r"\(t(\d+)x\)")
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


class PlannedProviders:
    """`answered` counts the streams that were begun, `refused` the calls that were turned away, by (provider, number
    of the turn)."""

    def __init__(self, turns: Sequence[TurnPlan]) -> None:
        self._turns = turns
        self.answered: Counter[tuple[str, int]] = Counter()
        self.refused: Counter[tuple[str, int]] = Counter()
        self.urls: dict[str, str] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator["PlannedProviders"]:
        async def first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(FIRST, reader, writer)

        async def second(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(SECOND, reader, writer)

        async with (
            await asyncio.start_server(first, "127.0.0.1", 0) as one,
            await asyncio.start_server(second, "127.0.0.1", 0) as two,
        ):
            for name, server in ((FIRST, one), (SECOND, two)):
                self.urls[name] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            yield self

    async def _serve(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            plan = self._turns[_number(await _body(reader))]
            await self._answer(name, plan, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # Docent has left: stopped, killed or out of patience
        finally:
            writer.close()

    async def _answer(
        self, name: str, plan: TurnPlan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        fault = plan.fault if name in plan.faulty else None
        if fault in {"refuse", "busy"}:
            self.refused[name, plan.number] += 1
            writer.write(_refusal("429 Too Many Requests" if fault == "busy" else "500 Internal Server Error"))
            await writer.drain()
            return
        self.answered[name, plan.number] += 1
        writer.write(_HEAD)
        for position, word in enumerate(plan.words(name)):
            if fault and position == plan.fault_at:
                await _break(fault, reader, writer)
                return
            await asyncio.sleep(plan.pace_seconds)
            await _say(writer, _chunk({"content": word}))
        await _say(writer, _chunk({}, "stop"))
        await _say(writer, {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": plan.tokens}})
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        await writer.drain()


async def _break(fault: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    match fault:
        case "torn":
            writer.transport.abort()
        case "silent":
            await reader.read()  # until Docent has no more patience
        case "error object":
            await _say(writer, {"error": {"message": "overloaded", "type": "server_error"}})
            writer.write(b"0\r\n\r\n")
            await writer.drain()


async def _say(writer: asyncio.StreamWriter, data: dict[str, Any]) -> None:
    frame = f"data: {json.dumps(data)}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(frame), frame))
    await writer.drain()


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": delta, "finish_reason": finish}]}


def _refusal(status: str) -> bytes:
    body = b'{"error": {"message": "no", "type": "refused"}}'
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nretry-after-ms: 1\r\n"
    return head.encode() + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)


async def _body(reader: asyncio.StreamReader) -> Any:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    return json.loads(await reader.readexactly(length))


def _number(body: Any) -> int:
    """The turn's number stands in its question, the last that the prompt says."""
    return int(_TAG.findall(body["messages"][-1]["content"])[-1])
