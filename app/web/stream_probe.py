"""A stream of known pace that needs no agent and no model: `docent doctor --stream` reads it through every proxy."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import anyio
from sse_starlette import EventSourceResponse
from starlette.requests import Request

from app.ports.rate_limiter import RateLimiter
from app.web.client_address import ClientAddresses
from app.web.endpoint import AnyEndpoint, Call, Endpoint, StreamWords
from app.web.limits_policy import LimitsPolicy, StreamPolicy, a_minute
from app.web.sse import event_stream

PATH = "/healthz/stream"
EVENTS = 20
PAUSE_SECONDS = 0.05
_WORDS = StreamWords(
    f"Server-Sent Events: {EVENTS} times tick, {round(PAUSE_SECONDS * 1000)} ms apart, then done. `sent_ms` is the "
    "time since the first tick on the server's clock. Who gets them in clumps sits behind a proxy that buffers.",
    'id: 2\nevent: tick\ndata: {"event":"tick","sent_ms":50.2}\n\n',
)


@dataclass(frozen=True, slots=True)
class ProbeAccess:
    """Open to everyone, a few times a minute for each address."""

    limiter: RateLimiter
    limits: LimitsPolicy
    addresses: ClientAddresses
    scheme: str | None = None
    errors: Sequence[str] = ("rate_limited",)

    async def admit(self, request: Request) -> None:
        address = self.addresses.limit_key(request)
        await self.limiter.hit(a_minute(self.limits.probes_per_address), "probe", "address", address)


class StreamProbe:
    def __init__(self, access: ProbeAccess, policy: StreamPolicy) -> None:
        self._access = access
        self._policy = policy

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                PATH,
                "probeStream",
                "A stream of known pace, to see whether a proxy holds it back",
                "Health",
                self._access,
                self.probe,
                response_media_type="text/event-stream",
                stream=_WORDS,
            ),
        )

    async def probe(self, call: Call[None, None]) -> EventSourceResponse:
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
