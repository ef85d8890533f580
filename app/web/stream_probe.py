"""A stream of known speed without an agent or a model, which `docent doctor --stream` reads through every proxy."""

import asyncio
import json
from collections.abc import AsyncIterator

import anyio
from sse_starlette import EventSourceResponse

from app.web.access import CountedAddress
from app.web.endpoint import Api, Call, StreamWords, get
from app.web.limits_policy import StreamPolicy
from app.web.sse import event_stream

PATH = "/healthz/stream"
EVENTS = 20
PAUSE_SECONDS = 0.05
_WORDS = StreamWords(
    f"Server-Sent Events: {EVENTS} times tick, {round(PAUSE_SECONDS * 1000)} ms apart, then done. `sent_ms` is the "
    "time since the first tick on the server's clock. Who gets them in clumps sits behind a proxy that buffers.",
    'id: 2\nevent: tick\ndata: {"event":"tick","sent_ms":50.2}\n\n',
)


a_few_times = CountedAddress("probe", lambda limits: limits.probes_per_address, ("rate_limited",))


class StreamProbe(Api):
    tag = "Health"

    def __init__(self, policy: StreamPolicy) -> None:
        self._policy = policy

    @get(
        "/healthz/stream",
        "A stream at a known pace, to check whether a proxy buffers it",
        access=a_few_times,
        response_media_type="text/event-stream",
        stream=_WORDS,
    )
    async def probe_stream(self, call: Call[None, None]) -> EventSourceResponse:
        return event_stream(_ticks(), self._policy, anyio.Event(), grace_seconds=EVENTS * PAUSE_SECONDS)


async def _ticks() -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(1, EVENTS + 1):
        yield _frame(number, "tick", loop.time() - began)
        await asyncio.sleep(PAUSE_SECONDS)
    yield _frame(EVENTS + 1, "done", loop.time() - began)


def _frame(number: int, name: str, seconds: float) -> bytes:
    data = json.dumps({"event": name, "sent_ms": round(seconds * 1000, 1)}, separators=(",", ":"))
    return f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode("ascii")
